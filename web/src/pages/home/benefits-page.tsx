// The frame of a learner's home: its title, and the grid that the cards stand in.
import type { ReactNode } from 'react';
import { Page, SCREEN_LOADING } from '../../parts/page.tsx';
import { classes } from '../../ui/classes.ts';
import { say } from '../../words/say.ts';

export const GRID =
  'mt-[clamp(1.75rem,3.5vw,2.75rem)] grid grid-cols-[repeat(auto-fill,minmax(min(100%,19rem),1fr))] gap-5';

/** The page with its title, and `aside` at the title's right. As high for one card as for those that were awaited. */
export function BenefitsPage({ aside, children }: { aside?: ReactNode; children: ReactNode }) {
  const heading = say('Your Partner Benefits');
  return (
    <Page title={heading} className={classes('pt-[clamp(2rem,4.5vw,4rem)]', SCREEN_LOADING)}>
      <div className="flex flex-wrap items-baseline justify-between gap-x-8 gap-y-2">
        <h1 className="text-3xl tracking-tight">{heading}</h1>
        {aside}
      </div>
      {children}
    </Page>
  );
}
