// The frame of a screen: its width, the title of its browser tab, and its description for search engines.
import { createContext, type ReactNode, useContext, useEffect } from 'react';
import { brand } from '../brand.ts';
import { classes } from '../ui/classes.ts';

/** Class for a screen that starts with a link to the home page. Sets the space above this link. */
export const SCREEN_TOP = 'pt-[clamp(1rem,3vw,2.25rem)]';

/**
 * Context with an object in which `Page` stores title and description while the server renders. Null in the browser.
 */
export const HeadNotes = createContext<{ title: string; description: string } | null>(null);

/** Context with a text that `Page` puts before each title. */
export const TitlePrefix = createContext('');

export type PageProps = {
  /**
   * Title of the browser tab. `Page` appends the academy's name, unless `exactTitle` is set or the title is that
   * name.
   */
  title: string;
  exactTitle?: boolean;
  /** One or two sentences that describe the page. */
  description?: string;
  className?: string;
  children: ReactNode;
};

export function Page({ title, exactTitle, description = '', className, children }: PageProps) {
  const saysName = exactTitle || title.toLowerCase() === brand.name.toLowerCase();
  const fullTitle = useContext(TitlePrefix) + (saysName ? title : `${title} · ${brand.name}`);
  const notes = useContext(HeadNotes);
  if (notes) Object.assign(notes, { title: fullTitle, description });
  useEffect(() => {
    document.title = fullTitle;
  }, [fullTitle]);
  return <div className={classes('wrap flex-auto', className)}>{children}</div>;
}
