// A page with one message in its centre.
import { classes } from '../ui/classes.ts';
import { Page, type PageProps } from './page.tsx';

export function CentredPage({ className, ...page }: PageProps) {
  return (
    <Page {...page} className={classes('grid place-items-center py-[clamp(2rem,8vw,6rem)]', className)} />
  );
}
