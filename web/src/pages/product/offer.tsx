// The ticket of the product page, in every state of the redemption.
import type { Product } from '@portal/contract';
import { CircleAlert } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { openLogin, preparesLogin } from '../../parts/login-store.ts';
import { productIdOf } from '../../parts/product-id.ts';
import { SignedInAs } from '../../parts/signed-in-as.tsx';
import { useSession } from '../../parts/use-session.ts';
import { VisitSite } from '../../parts/visit-site.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { LinkedText } from '../../ui/linked-text.tsx';
import { Ticket } from '../../ui/ticket.tsx';
import { TicketMain } from '../../ui/ticket-main.tsx';
import { TicketMiddle } from '../../ui/ticket-middle.tsx';
import { TicketNote } from '../../ui/ticket-note.tsx';
import { TicketSlots } from '../../ui/ticket-slots.tsx';
import { TicketStub } from '../../ui/ticket-stub.tsx';
import { TicketTop } from '../../ui/ticket-top.tsx';
import { say } from '../../words/say.ts';
import { IssuedMain } from './issued-main.tsx';
import { useFocusOnArrival } from './use-focus-on-arrival.ts';
import { type RedemptionState, useRedemption } from './use-redemption.ts';

const CODE_FACE = '500 1em "Geist Mono Variable"';

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
  const isVisitor = session.status === 'signed-out';
  const isLearner = session.status === 'signed-in';
  useEffect(() => {
    // With `font-display: optional` (fonts.css), a font is used only if it arrives shortly after the first text in this
    // font appears. So the font for codes is loaded before a code is shown.
    if (isLearner) document.fonts.load(CODE_FACE).catch(() => undefined);
  }, [isLearner]);
  const hadFocus = useRef(false);
  const press = () => {
    if (isLearner) redeem();
    else openLogin();
  };
  const issued = state.kind === 'issued' ? state.issued : undefined;
  const ticket = (
    <Ticket
      state={TICKET_STATES[state.kind]}
      layout="turning"
      printsOver={issued?.fresh ? id : undefined}
      aria-label={say('Your coupon')}
      aria-live="polite"
      aria-busy={state.kind === 'busy' || undefined}
    >
      <TicketMain>{mainOf(state, product, hadFocus)}</TicketMain>
      <TicketStub layout="turning" print={id}>
        {state.kind === 'issued' ? (
          <VisitSite url={state.issued.url} />
        ) : (
          <RedeemButton
            kind={state.kind}
            waiting={session.status === 'loading'}
            visitor={isVisitor}
            hadFocus={hadFocus}
            onPress={press}
          />
        )}
      </TicketStub>
    </Ticket>
  );
  // The account of the user is shown below the ticket. Inside the ticket, it would change the height of the ticket.
  return (
    <div>
      {ticket}
      {state.kind === 'refused' && state.wrongAccount && (
        <SignedInAs className="mt-4" onSignedOut={openLogin} />
      )}
    </div>
  );
}

/**
 * Returns the main part of the ticket. `hadFocus.current` is true if the redeem button had the focus just before the
 * button was replaced or disabled.
 */
function mainOf(state: RedemptionState, product: Product, hadFocus: RefObject<boolean>): ReactNode {
  if (state.kind === 'refused') {
    return <RefusalBox title={state.title} message={state.message} />;
  }
  if (state.kind === 'issued' || state.kind === 'soldOut') {
    // The new heading takes the focus if the redeem button had the focus. Some browsers do not focus a clicked button,
    // so the heading also takes the focus after a click.
    const takesFocus = () => state.startedBy === 'user' || hadFocus.current;
    if (state.kind === 'issued') {
      return <IssuedMain product={product} issued={state.issued} takesFocus={takesFocus} />;
    }
    return (
      <Blank>
        <SoldOut title={state.title} message={state.message} takesFocus={takesFocus} />
      </Blank>
    );
  }
  const words =
    state.kind === 'busy'
      ? say('Reserving a code for you. This takes a moment.')
      : say('One code, reserved for you. It appears here when you redeem.');
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
        <span>{say('Coupon code')}</span>
        <span>{say('Single use')}</span>
      </TicketTop>
      <TicketMiddle>
        <TicketSlots />
      </TicketMiddle>
      {children}
    </>
  );
}

type RedeemButtonProps = {
  kind: 'idle' | 'busy' | 'refused' | 'soldOut';
  waiting: boolean;
  visitor: boolean;
  /** Set when the redeem button is removed or disabled: true if the button had the focus. */
  hadFocus: RefObject<boolean>;
  onPress: () => void;
};

function RedeemButton({ kind, waiting, visitor, hadFocus, onPress }: RedeemButtonProps) {
  const busy = kind === 'busy';
  const button = useRef<HTMLButtonElement>(null);
  // The clean-up of a layout effect runs while the button is still in the document. So the clean-up can check whether
  // the button has the focus.
  useLayoutEffect(() => {
    const element = button.current;
    return () => {
      hadFocus.current = kind === 'busy' && element === document.activeElement;
    };
  }, [kind, hadFocus]);
  return (
    <Button
      ref={button}
      look={kind === 'refused' ? 'outline' : 'accent'}
      size="lg"
      block
      busy={busy}
      disabled={kind === 'soldOut' || waiting}
      {...(visitor && preparesLogin)}
      onClick={onPress}
    >
      {busy ? say('Loading...') : say('Redeem Now')}
    </Button>
  );
}

function RefusalBox({ title, message }: { title: string; message: string }) {
  return (
    <div role="alert" className="grid max-w-[54ch] grid-cols-[auto_minmax(0,1fr)] gap-x-3.5 gap-y-1">
      <Icon of={CircleAlert} size={24} className="mt-0.5 text-danger-text" />
      <h2 className="text-lg text-danger-text">{title}</h2>
      <p className="col-start-2 text-md wrap-anywhere">
        <LinkedText text={message} />
      </p>
    </div>
  );
}

type SoldOutProps = { title: string; message: string; takesFocus: () => boolean };

// Shows that no codes are left. The redeem button is now disabled, so the focus moves to the heading of this message.
function SoldOut({ title, message, takesFocus }: SoldOutProps) {
  const heading = useFocusOnArrival<HTMLHeadingElement>(takesFocus);
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
