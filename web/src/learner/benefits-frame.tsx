// The layout of a learner's home page: its title and the grid of cards.
import type { ReactNode } from 'react';
import { Page } from '../page.tsx';
import { classes } from '../ui/dom.ts';
import { Skeleton } from '../ui/icon.tsx';
import { StatusLine } from '../ui/notice.tsx';
import { COLUMN_SHEET, TicketMain, TicketStub } from '../ui/ticket.tsx';
import { t } from '../words/translate.ts';

export const GRID =
  'mt-[clamp(1.75rem,3.5vw,2.75rem)] grid grid-cols-[repeat(auto-fill,minmax(min(100%,19rem),1fr))] gap-5';

/** `aside` stands to the right of the title. */
export function BenefitsPage({ aside, children }: { aside?: ReactNode; children: ReactNode }) {
  const heading = t('Your Partner Benefits');
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

const PLACES = ['a', 'b', 'c', 'd', 'e', 'f'];

/** R-HOME-14. */
export function BenefitsLoading() {
  return (
    <BenefitsPage aside={<StatusLine>{t('Loading your benefits')}</StatusLine>}>
      <ul className={classes(GRID, 'animate-late')} aria-hidden="true">
        {PLACES.map((place) => (
          <li key={place}>
            <div className={classes(COLUMN_SHEET, 'h-full [--rim:var(--line)]')}>
              <TicketMain className="px-6 pt-6 pb-6.5">
                <Skeleton className="size-13 rounded-full!" />
                <Skeleton className="mt-6 h-4.5 w-[46%]" />
                <Skeleton className="mt-4 h-3 w-full" />
                <Skeleton className="mt-2.5 h-3 w-[94%]" />
                <Skeleton className="mt-2.5 h-3 w-[60%]" />
              </TicketMain>
              <TicketStub className="flex min-h-14 items-center px-6">
                <Skeleton className="h-3 w-21" />
              </TicketStub>
            </div>
          </li>
        ))}
      </ul>
    </BenefitsPage>
  );
}

/** The address of the home page: `everyone` for /, `accelerator` for /accelerator, `fellowship` for /fellowship. */
export type Audience = 'everyone' | 'accelerator' | 'fellowship';
