// The card of one product on the home page: a small ticket. The whole card is a link.
import type { MyProduct } from '@portal/contract';
import { ArrowRight, Check } from 'lucide-react';
import { Link } from 'wouter';
import { productIdOf, productPath } from '../../parts/product-id.ts';
import { classes } from '../../ui/classes.ts';
import { cut } from '../../ui/cut.ts';
import { Icon } from '../../ui/icon.tsx';
import { Rosette } from '../../ui/rosette.tsx';
import { Tag } from '../../ui/tag.tsx';
import ticket from '../../ui/ticket.module.css';
import { TicketMain } from '../../ui/ticket-main.tsx';
import { TicketStub } from '../../ui/ticket-stub.tsx';
import { say } from '../../words/say.ts';
import styles from './benefit-card.module.css';
import { benefitState, dayOf } from './benefit-state.ts';

/** Maximum length of the description (R-HOME-11). */
const DESCRIPTION_LENGTH = 120;

export function BenefitCard({ product }: { product: MyProduct }) {
  const id = productIdOf(product);
  const state = benefitState(product);
  const nameId = `name-${id}`;
  const goId = `go-${id}`;
  const statusId = state === 'ready' ? undefined : `status-${id}`;
  return (
    <article className={classes(ticket.ticket, ticket.column, styles.card)} data-state={state}>
      <TicketMain className={styles.main}>
        <div className="flex min-h-13 items-start justify-between">
          <Rosette id={id} size={52} detail="mid" />
          {state === 'issued' && product.assigned_at && (
            <Tag id={statusId} tone="plain-accent">
              <Icon of={Check} size={13} strong />
              {say('Code issued {day}', { day: dayOf(product.assigned_at, new Date()) })}
            </Tag>
          )}
          {state === 'soldout' && <Tag id={statusId}>{say('Sold out')}</Tag>}
        </div>
        <h2 id={nameId} dir="auto" className="mt-4.5 text-lg leading-6 wrap-anywhere">
          {product.name}
        </h2>
        <p dir="auto" className="mt-1.5 text-md wrap-anywhere text-ink-2">
          {cut(product.description, DESCRIPTION_LENGTH)}
        </p>
      </TicketMain>
      <TicketStub className={styles.stub} layout="column">
        <Link
          id={goId}
          className={styles.go}
          href={productPath(product)}
          aria-labelledby={`${goId} ${nameId}`}
          aria-describedby={statusId}
        >
          {say('Redeem Now')}
          <Icon of={ArrowRight} />
        </Link>
      </TicketStub>
    </article>
  );
}
