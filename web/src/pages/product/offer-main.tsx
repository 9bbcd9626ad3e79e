// The main piece of the ticket on the product page, in every state of the redemption.
import type { Product } from '@portal/contract';
import { CircleAlert } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import { Icon } from '../../ui/icon.tsx';
import { LinkedText } from '../../ui/linked-text.tsx';
import { TicketMiddle } from '../../ui/ticket-middle.tsx';
import { TicketNote } from '../../ui/ticket-note.tsx';
import { TicketSlots } from '../../ui/ticket-slots.tsx';
import { TicketTop } from '../../ui/ticket-top.tsx';
import { say } from '../../words/say.ts';
import type { ClosedWords } from './closed.ts';
import { IssuedMain } from './issued-main.tsx';
import { useFocusOnArrival } from './use-focus-on-arrival.ts';
import type { RedemptionState } from './use-redemption.ts';

type OfferMainProps = {
  state: RedemptionState;
  product: Product;
  /** Texts of a closed ticket; see `sayClosed`. */
  closed: ClosedWords | undefined;
  /** True if the last day of the issued code has passed. */
  isPast: boolean;
  /** True if the redeem button had the focus just before the button was replaced or disabled. */
  hadFocus: RefObject<boolean>;
};

export function OfferMain({ state, product, closed, isPast, hadFocus }: OfferMainProps) {
  if (state.kind === 'refused') return <RefusalBox title={state.title} message={state.message} />;
  // If the redeem button had the focus, the new heading or copy button gets the focus. Some browsers do not focus a
  // clicked button. So a redemption that a click has started also moves the focus.
  const isByUser = 'startedBy' in state && state.startedBy === 'user';
  const takesFocus = () => isByUser || hadFocus.current;
  if (state.kind === 'issued') {
    return <IssuedMain product={product} issued={state.issued} isPast={isPast} takesFocus={takesFocus} />;
  }
  const words = state.kind === 'soldOut' ? state : closed;
  if (words) {
    const role = isByUser || state.kind === 'soldOut' ? 'alert' : undefined;
    return (
      <Blank>
        <NoCode title={words.title} message={words.message} role={role} takesFocus={takesFocus} />
      </Blank>
    );
  }
  const note =
    state.kind === 'busy'
      ? say('Reserving a code for you. This takes a moment.')
      : say('One code, reserved for you. It appears here when you redeem.');
  return (
    <Blank>
      <TicketNote>{note}</TicketNote>
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

type NoCodeProps = {
  title: string;
  message: string;
  role: 'alert' | undefined;
  takesFocus: () => boolean;
};

// Shows why there is no code. The clicked button is now disabled or removed, so the focus moves to the heading.
function NoCode({ title, message, role, takesFocus }: NoCodeProps) {
  const heading = useFocusOnArrival<HTMLHeadingElement>(takesFocus);
  return (
    <div role={role}>
      <h2 ref={heading} tabIndex={-1} className="text-lg">
        {title}
      </h2>
      <TicketNote>
        <LinkedText text={message} />
      </TicketNote>
    </div>
  );
}
