// The frame of a screen: its width, and its title in the browser's tab.
import { type ReactNode, useEffect } from 'react';
import { brand } from '../brand.ts';
import { classes } from '../ui/classes.ts';

type PageProps = {
  /** Title of the tab; the provider's name follows it unless `exactTitle`. */
  title: string;
  exactTitle?: boolean;
  className?: string;
  children: ReactNode;
};

export function Page({ title, exactTitle, className, children }: PageProps) {
  useEffect(() => {
    document.title = exactTitle ? title : `${title} · ${brand.name}`;
  }, [title, exactTitle]);
  return <div className={classes('wrap flex-auto', className)}>{children}</div>;
}

/** A page whose one message stands in the middle. */
export function CentredPage({ className, ...page }: PageProps) {
  return (
    <Page {...page} className={classes('grid place-items-center py-[clamp(2rem,8vw,6rem)]', className)} />
  );
}
