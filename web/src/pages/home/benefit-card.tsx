// The card of one product on the home page: a small ticket. The whole card is a link.
import type { MyProduct } from '@portal/contract';
import { ArrowRight } from 'lucide-react';
import { Link } from 'wouter';
import { productIdOf, productPath } from '../../parts/product-id.ts';
import { classes } from '../../ui/classes.ts';
import { cut } from '../../ui/cut.ts';
import { Icon } from '../../ui/icon.tsx';
import { Rosette } from '../../ui/rosette.tsx';
import ticket from '../../ui/ticket.module.css';
import { TicketMain } from '../../ui/ticket-main.tsx';
import { TicketStub } from '../../ui/ticket-stub.tsx';
import { say } from '../../words/say.ts';
import styles from './benefit-card.module.css';
import { benefitState, LOOKS } from './benefit-state.ts';
import { BenefitTags } from './benefit-tags.tsx';

/** Maximum length of the description (R-HOME-11). */
const DESCRIPTION_LENGTH = 120;

export function BenefitCard({ product, now }: { product: MyProduct; now: Date }) {
  const id = productIdOf(product);
  const state = benefitState(product, now);
  const look = LOOKS[state];
  const redeems = look === 'ready' || look === 'issued' || state === 'sold_out';
  const nameId = `name-${id}`;
  const goId = `go-${id}`;
  const statusId = state === 'ready' ? undefined : `status-${id}`;
  return (
    <article className={classes(ticket.ticket, ticket.column, styles.card)} data-state={look}>
      <TicketMain className={styles.main}>
        <div className="flex min-h-13 items-start justify-between">
          <Rosette id={id} size={52} detail="mid" />
          <BenefitTags id={statusId} product={product} state={state} now={now} />
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
          {redeems ? say('Redeem Now') : say('See Details')}
          <Icon of={ArrowRight} />
        </Link>
      </TicketStub>
    </article>
  );
}
