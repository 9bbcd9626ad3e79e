// The layout of a learner's home page: its title and the grid of cards.
import { ArrowUpRight, Mail } from 'lucide-react';
import type { ReactNode } from 'react';
import { Page } from '../page.tsx';
import { brand } from '../settings.ts';
import { buttonClass } from '../ui/button.tsx';
import { classes } from '../ui/dom.ts';
import { Icon, Skeleton } from '../ui/icon.tsx';
import { StatusLine } from '../ui/notice.tsx';
import { ExternalLink } from '../ui/text.tsx';
import { COLUMN_SHEET, Ticket, TicketMain, TicketStub } from '../ui/ticket.tsx';
import { say, sayAround } from '../words/say.ts';

export const GRID =
  'mt-[clamp(1.75rem,3.5vw,2.75rem)] grid grid-cols-[repeat(auto-fill,minmax(min(100%,19rem),1fr))] gap-5';

/** `aside` stands to the right of the title. */
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

const PLACES = ['a', 'b', 'c', 'd', 'e', 'f'];

/** R-HOME-14. */
export function BenefitsLoading() {
  return (
    <BenefitsPage aside={<StatusLine>{say('Loading your benefits')}</StatusLine>}>
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

const ACTION = buttonClass({ look: 'primary', size: 'lg', block: true });

/** For a learner without products. The text depends on the address of the home page (R-HOME-15 to R-HOME-18). */
export function EmptyState({ audience }: { audience: Audience }) {
  if (audience === 'fellowship') {
    return (
      <Blank
        heading={say('Sorry. You do not have access to any tools. Please reach out to your cohort manager')}
      />
    );
  }
  if (audience === 'accelerator') {
    const call = (
      <ExternalLink className={ACTION} href={brand.onboarding_call_url}>
        {say('Book an Onboarding Call')}
        <Icon of={ArrowUpRight} />
      </ExternalLink>
    );
    return (
      <Blank heading={say('You do not have access to any tools yet')} action={call}>
        {say('Tool access for the accelerator opens after your onboarding call.')}
      </Blank>
    );
  }
  const mail = `mailto:${brand.support_email}`;
  const address = (
    <a className="link wrap-anywhere" href={mail}>
      {brand.support_email}
    </a>
  );
  const write = (
    <a className={ACTION} href={mail}>
      <Icon of={Mail} />
      {say('Write to support')}
    </a>
  );
  return (
    <Blank heading={say('No tools on this account yet')} action={write}>
      {sayAround(
        'If you expected to see tools here, write to us at {email} from the email you used at purchase.',
        { email: address },
      )}
    </Blank>
  );
}

function Blank({ heading, action, children }: { heading: string; action?: ReactNode; children?: ReactNode }) {
  return (
    <Ticket state="blank" layout="turning" className="mt-[clamp(1.75rem,3.5vw,2.75rem)]">
      <TicketMain>
        <h2 className="max-w-[34ch] text-xl">{heading}</h2>
        {children && <p className="max-w-[48ch] text-ink-2">{children}</p>}
      </TicketMain>
      <TicketStub print="blank">{action}</TicketStub>
    </Ticket>
  );
}
