// The frame of a screen: its width, its title in the browser's tab, and what search engines are told of it.
import { createContext, type ReactNode, useContext, useEffect } from 'react';
import { brand } from '../brand.ts';
import { classes } from '../ui/classes.ts';

/** The air above a screen that starts with a way back. */
export const SCREEN_TOP = 'pt-[clamp(1rem,3vw,2.25rem)]';

/** Filled by the page that the server renders; the browser needs none. */
export const HeadNotes = createContext<{ title: string; description: string } | null>(null);

type PageProps = {
  /** Title of the tab; the provider's name follows it unless `exactTitle`, or it is that name. */
  title: string;
  exactTitle?: boolean;
  /** A sentence or two on what is found here. */
  description?: string;
  className?: string;
  children: ReactNode;
};

export function Page({ title, exactTitle, description = '', className, children }: PageProps) {
  const saysName = exactTitle || title.toLowerCase() === brand.name.toLowerCase();
  const fullTitle = saysName ? title : `${title} · ${brand.name}`;
  const notes = useContext(HeadNotes);
  if (notes) Object.assign(notes, { title: fullTitle, description });
  useEffect(() => {
    document.title = fullTitle;
  }, [fullTitle]);
  return <div className={classes('wrap flex-auto', className)}>{children}</div>;
}

/** A page whose one message stands in the middle. */
export function CentredPage({ className, ...page }: PageProps) {
  return (
    <Page {...page} className={classes('grid place-items-center py-[clamp(2rem,8vw,6rem)]', className)} />
  );
}
