// The page of a product in the view of a learner: the learner's own page, with a ticket whose buttons are off.
import type { LearnerView, MyProduct, ViewedTicket } from '@portal/contract';
import { ArrowUpRight, TriangleAlert } from 'lucide-react';
import { BackHome } from '../../../parts/back-home.tsx';
import { CentredPage } from '../../../parts/centred-page.tsx';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { MessageCard } from '../../../ui/message-card.tsx';
import { say } from '../../../words/say.ts';
import { OfferTicket, ProductLayout } from './learner-page.ts';
import { OffButton, OnlyThey } from './off-button.tsx';
import { stateOfTicket } from './state-of-ticket.ts';
import { ViewedCode } from './viewed-code.tsx';

type Viewed = { person: LearnerView['person']; product: MyProduct; ticket: ViewedTicket };

/** `product` and `ticket` are undefined if the product is not in the learner's list. */
export function ViewedProduct({ person, product, ticket }: Partial<Viewed> & Pick<Viewed, 'person'>) {
  if (!product || !ticket) {
    return (
      <CentredPage title={say('Product Not Found')}>
        <MessageCard icon={TriangleAlert} tone="warning" heading={say('Product Not Found')}>
          <p>{say('This product is not among the benefits of this person.')}</p>
          <BackHome />
        </MessageCard>
      </CentredPage>
    );
  }
  return <ProductLayout product={product} ticket={<ViewedTicketOf {...{ person, product, ticket }} />} />;
}

function ViewedTicketOf({ person, product, ticket }: Viewed) {
  const state = stateOfTicket(ticket, product);
  return (
    <OfferTicket
      id={product.product_id}
      label={say('Their coupon')}
      state={state}
      code={state.kind === 'issued' && <ViewedCode {...{ person, ticket, issued: state.issued }} />}
    >
      {state.kind === 'idle' && (
        <>
          <OnlyThey person={person} />
          <OffButton size="lg">{say('Redeem Now')}</OffButton>
        </>
      )}
      {state.kind === 'issued' && (
        <>
          <OnlyThey person={person} />
          <OffButton size="lg">
            {say('Visit Site To Redeem')}
            <Icon of={ArrowUpRight} />
          </OffButton>
        </>
      )}
      {/* The learner cannot press this button either. */}
      {state.kind === 'soldOut' && (
        <Button look="accent" size="lg" block disabled>
          {say('Redeem Now')}
        </Button>
      )}
    </OfferTicket>
  );
}
