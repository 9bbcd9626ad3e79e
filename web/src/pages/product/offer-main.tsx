// The main piece of the ticket on the product page, in every state of the redemption.
import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { LinkedText } from '../../ui/linked-text.tsx';
import { TicketMiddle } from '../../ui/ticket-middle.tsx';
import { TicketNote } from '../../ui/ticket-note.tsx';
import { TicketSlots } from '../../ui/ticket-slots.tsx';
import { TicketTop } from '../../ui/ticket-top.tsx';
import { say } from '../../words/say.ts';
import type { ClosedWords } from './closed.ts';
import { useFocusOnArrival } from './use-focus-on-arrival.ts';
import type { RedemptionState } from './use-redemption.ts';

type OfferMainProps = {
  state: RedemptionState;
  /** Texts of a closed ticket; see `sayClosed`. */
  closed: ClosedWords | undefined;
  /** True if the heading of a ticket without a code gets the focus. */
  takesFocus: () => boolean;
  /** Redeems again. Missing where nobody can redeem. */
  onRetry?: (() => void) | undefined;
  /** Shown in the state `issued`. */
  children: ReactNode;
};

export function OfferMain({ state, closed, takesFocus, onRetry, children }: OfferMainProps) {
  if (state.kind === 'refused') return <RefusalBox refusal={state} onRetry={onRetry} />;
  if (state.kind === 'issued') return children;
  const words = state.kind === 'soldOut' ? state : closed;
  if (words) {
    const isByUser = 'startedBy' in state && state.startedBy === 'user';
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

type RefusalBoxProps = {
  refusal: { title: string; message: string; mayPass?: true };
  onRetry: (() => void) | undefined;
};

function RefusalBox({ refusal: { title, message, mayPass }, onRetry }: RefusalBoxProps) {
  return (
    <div role="alert" className="grid max-w-[54ch] grid-cols-[auto_minmax(0,1fr)] gap-x-3.5 gap-y-1">
      <Icon of={CircleAlert} size={24} className="mt-0.5 text-danger-text" />
      <h2 className="text-lg text-danger-text">{title}</h2>
      <p className="col-start-2 text-md wrap-anywhere">
        <LinkedText text={message} />
      </p>
      {mayPass && onRetry && (
        <Button size="sm" className="col-start-2 mt-2 justify-self-start" onClick={onRetry}>
          {say('Try again')}
        </Button>
      )}
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
