// The ticket of the product page, in each state of its redemption.
import type { Product } from '@portal/contract';
import { CircleAlert } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { openLogin } from '../../parts/login-store.ts';
import { productIdOf } from '../../parts/product-id.ts';
import { useSession } from '../../parts/use-session.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { LinkedText } from '../../ui/linked-text.tsx';
import { Ticket, TicketMain, TicketStub } from '../../ui/ticket.tsx';
import { TicketMiddle, TicketNote, TicketSlots, TicketTop } from '../../ui/ticket-parts.tsx';
import { IssuedMain, IssuedStub } from './issued.tsx';
import { type RedemptionState, useRedemption } from './use-redemption.ts';

const TICKET_STATES = {
  idle: 'idle',
  busy: 'busy',
  issued: 'issued',
  refused: 'error',
  soldOut: 'spent',
} as const;

export function Offer({ product }: { product: Product }) {
  const id = productIdOf(product);
  const session = useSession();
  const { state, redeem } = useRedemption(id);
  const press = () => {
    if (session.status === 'signed-in') redeem();
    else openLogin();
  };
  const kind = state.kind === 'session' ? 'idle' : state.kind;
  const issued = state.kind === 'issued' ? state : undefined;
  return (
    <Ticket
      state={TICKET_STATES[kind]}
      layout="turning"
      printsOver={issued?.issued.fresh ? id : undefined}
      aria-label="Your coupon"
      aria-live="polite"
      aria-busy={kind === 'busy' || undefined}
    >
      <TicketMain>{mainOf(state, product)}</TicketMain>
      <TicketStub layout="turning" print={id}>
        {issued ? (
          <IssuedStub url={issued.issued.url} />
        ) : (
          <RedeemButton kind={kind} waiting={session.status === 'loading'} onPress={press} />
        )}
      </TicketStub>
    </Ticket>
  );
}

function mainOf(state: RedemptionState, product: Product): ReactNode {
  if (state.kind === 'issued') {
    return <IssuedMain product={product} issued={state.issued} takeFocus={state.startedBy === 'hand'} />;
  }
  if (state.kind === 'refused') return <RefusalBox title={state.title} message={state.message} />;
  if (state.kind === 'soldOut') {
    return (
      <Blank>
        <SoldOut title={state.title} message={state.message} takeFocus={state.startedBy === 'hand'} />
      </Blank>
    );
  }
  const words =
    state.kind === 'busy'
      ? 'Reserving a code for you. This takes a moment.'
      : 'One code, reserved for you. It appears here when you redeem.';
  return (
    <Blank>
      <TicketNote>{words}</TicketNote>
    </Blank>
  );
}

function Blank({ children }: { children: ReactNode }) {
  return (
    <>
      <TicketTop>
        <span>Coupon code</span>
        <span>Single use</span>
      </TicketTop>
      <TicketMiddle>
        <TicketSlots />
      </TicketMiddle>
      {children}
    </>
  );
}

type RedeemButtonProps = {
  kind: 'idle' | 'busy' | 'refused' | 'soldOut' | 'issued';
  waiting: boolean;
  onPress: () => void;
};

function RedeemButton({ kind, waiting, onPress }: RedeemButtonProps) {
  const busy = kind === 'busy';
  return (
    <Button
      look={kind === 'refused' ? 'outline' : 'accent'}
      size="lg"
      block
      busy={busy}
      disabled={kind === 'soldOut' || waiting}
      onClick={onPress}
    >
      {busy ? 'Loading...' : 'Redeem Now'}
    </Button>
  );
}

function RefusalBox({ title, message }: { title: string; message: string }) {
  return (
    <div role="alert" className="grid max-w-[54ch] grid-cols-[auto_minmax(0,1fr)] gap-x-3.5 gap-y-1">
      <Icon of={CircleAlert} className="mt-1 text-danger-text" />
      <h2 className="text-lg text-danger-text">{title}</h2>
      <p className="col-start-2 text-md wrap-anywhere">
        <LinkedText text={message} />
      </p>
    </div>
  );
}

type SoldOutProps = { title: string; message: string; takeFocus: boolean };

// The button that was pressed goes off, so the focus goes to the words that say why.
function SoldOut({ title, message, takeFocus }: SoldOutProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takeFocus) heading.current?.focus();
  }, [takeFocus]);
  return (
    <div role="alert">
      <h2 ref={heading} tabIndex={-1} className="text-lg">
        {title}
      </h2>
      <TicketNote>
        <LinkedText text={message} />
      </TicketNote>
    </div>
  );
}
