// The layout of a learner's home page: its title and the grid of cards.
import type { ReactNode } from 'react';
import { Page } from '../../parts/page.tsx';
import { say } from '../../words/say.ts';

export const GRID =
  'mt-[clamp(1.75rem,3.5vw,2.75rem)] grid grid-cols-[repeat(auto-fill,minmax(min(100%,19rem),1fr))] gap-5';

/** Shows the title of the page, `aside` to the right of the title, and `children` below. */
export function BenefitsPage({ aside, children }: { aside?: ReactNode; children: ReactNode }) {
  const heading = say('Your Partner Benefits');
  return (
    <Page title={heading} className="pt-[clamp(2rem,4.5vw,4rem)]">
      <div className="flex flex-wrap items-baseline justify-between gap-x-8 gap-y-2">
        <h1 className="text-3xl tracking-tight">{heading}</h1>
        {aside}
      </div>
      {children}
    </Page>
  );
}
