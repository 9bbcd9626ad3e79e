// The home page while the products load (R-HOME-14).
import { classes } from '../../ui/classes.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { StatusLine } from '../../ui/status-line.tsx';
import ticket from '../../ui/ticket.module.css';
import { TicketMain } from '../../ui/ticket-main.tsx';
import { TicketStub } from '../../ui/ticket-stub.tsx';
import { say } from '../../words/say.ts';
import styles from './benefit-card.module.css';
import { BenefitsPage, GRID } from './benefits-page.tsx';

const PLACES = ['a', 'b', 'c', 'd', 'e', 'f'];

export function BenefitsLoading() {
  return (
    <BenefitsPage aside={<StatusLine>{say('Loading your benefits')}</StatusLine>}>
      <ul className={classes(GRID, 'animate-late')} aria-hidden="true">
        {PLACES.map((place) => (
          <li key={place}>
            <div className={classes(ticket.ticket, ticket.column, styles.placeholder)}>
              <TicketMain className="px-6 pt-6 pb-6.5">
                <Skeleton className="size-13 rounded-full!" />
                <Skeleton className="mt-6 h-4.5 w-[46%]" />
                <Skeleton className="mt-4 h-3 w-full" />
                <Skeleton className="mt-2.5 h-3 w-[94%]" />
                <Skeleton className="mt-2.5 h-3 w-[60%]" />
              </TicketMain>
              <TicketStub className="flex min-h-14 items-center px-6" layout="column">
                <Skeleton className="h-3 w-21" />
              </TicketStub>
            </div>
          </li>
        ))}
      </ul>
    </BenefitsPage>
  );
}
