// The ticket of the product page, in every state of the redemption.
import type { Product } from '@portal/contract';
import {
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useSyncExternalStore,
} from 'react';
import { brand } from '../../brand.ts';
import { openLogin, preparesLogin } from '../../parts/login-store.ts';
import { productIdOf } from '../../parts/product-id.ts';
import { SignedInAs } from '../../parts/signed-in-as.tsx';
import { useSession } from '../../parts/use-session.ts';
import { VisitSite } from '../../parts/visit-site.tsx';
import { Button } from '../../ui/button.tsx';
import { Ticket, type TicketState } from '../../ui/ticket.tsx';
import { TicketMain } from '../../ui/ticket-main.tsx';
import { TicketStub } from '../../ui/ticket-stub.tsx';
import { currentLocale } from '../../words/current-locale.ts';
import { say } from '../../words/say.ts';
import { type ClosedWords, sayClosed } from './closed.ts';
import { IssuedMain } from './issued-main.tsx';
import { isPast } from './issued-ticket.tsx';
import { OfferMain } from './offer-main.tsx';
import { type RedemptionState, useRedemption } from './use-redemption.ts';

const CODE_FACE = '500 1em "Geist Mono Variable"';

/**
 * Loads the font for codes. With `font-display: optional` (fonts.css), a font is used only if it arrives shortly after
 * the first text in this font appears. So the font is loaded before a code is shown. Never rejects.
 */
export function loadCodeFace(): Promise<unknown> {
  return document.fonts.load(CODE_FACE).catch(() => undefined);
}

export function Offer({ product }: { product: Product }) {
  const id = productIdOf(product);
  const session = useSession();
  const { state, redeem } = useRedemption(product);
  const isVisitor = session.status === 'signed-out';
  const isLearner = session.status === 'signed-in';
  useEffect(() => {
    if (isLearner) void loadCodeFace();
  }, [isLearner]);
  const hadFocus = useRef(false);
  const button = useRef<HTMLButtonElement>(null);
  const press = () => {
    if (isLearner) redeem();
    else openLogin();
  };
  // If the redeem button had the focus, the new heading or copy button gets the focus. Some browsers do not focus a
  // clicked button. So a redemption that a click has started also moves the focus.
  const takesFocus = () => hadFocus.current || ('startedBy' in state && state.startedBy === 'user');
  const issued = state.kind === 'issued' ? state.issued : undefined;
  // The account of the user is shown below the ticket. Inside the ticket, it would change the height of the ticket.
  return (
    <div>
      <OfferTicket
        id={id}
        state={state}
        takesFocus={takesFocus}
        onRetry={() => {
          // The pressed button is removed. The redeem button stays, so it gets the focus.
          button.current?.focus();
          press();
        }}
        code={issued && <IssuedMain product={product} issued={issued} takesFocus={takesFocus} />}
      >
        {issued && <VisitSite url={issued.url} look={isPast(issued) ? 'outline' : 'inverse'} />}
        {state.kind !== 'issued' && state.kind !== 'closed' && (
          <RedeemButton
            button={button}
            kind={state.kind}
            waiting={session.status === 'loading'}
            visitor={isVisitor}
            hadFocus={hadFocus}
            onPress={press}
          />
        )}
      </OfferTicket>
      {state.kind === 'refused' && state.wrongAccount && (
        <SignedInAs className="mt-4" onSignedOut={openLogin} />
      )}
    </div>
  );
}

type OfferTicketProps = {
  /** Id of the product, from which the ticket's drawing is generated. */
  id: string;
  label?: string;
  state: RedemptionState;
  /** True if a new heading on the ticket gets the focus. */
  takesFocus?: () => boolean;
  /** Redeems again after an error that is probably temporary. Missing where nobody can redeem. */
  onRetry?: () => void;
  /** The main piece of the ticket in the state `issued`. */
  code: ReactNode;
  /** The button on the stub. */
  children: ReactNode;
};

/** The ticket in a state of the redemption. */
export function OfferTicket({
  id,
  label,
  state,
  takesFocus = () => false,
  onRetry,
  code,
  children,
}: OfferTicketProps) {
  const locale = useDateLocale();
  const closed = state.kind === 'closed' ? sayClosed(state, locale, brand.support_email) : undefined;
  return (
    <Ticket
      state={paperOf(state, closed)}
      layout="turning"
      printsOver={state.kind === 'issued' && state.issued.fresh ? id : undefined}
      aria-label={label ?? say('Your coupon')}
      aria-live="polite"
      aria-busy={state.kind === 'busy' || undefined}
    >
      <TicketMain>
        <OfferMain state={state} closed={closed} takesFocus={takesFocus} onRetry={onRetry}>
          {code}
        </OfferMain>
      </TicketMain>
      <TicketStub layout="turning" print={id}>
        {closed?.from && <p className="relative text-xl font-semibold tracking-snug">{closed.from}</p>}
        {children}
      </TicketStub>
    </Ticket>
  );
}

/**
 * Returns the locale for dates. The server does not know the user's locale and formats dates for the language of the
 * page. The first render in the browser must match the server's HTML, so the first render uses this language too.
 */
function useDateLocale(): string {
  return useSyncExternalStore(
    ignoreChanges,
    () => currentLocale.locale,
    () => currentLocale.language,
  );
}

const ignoreChanges = () => () => undefined;

/**
 * Returns the look of the ticket. The paper is white if a code may come, and has the colour of the page if none will
 * come. The paper has the accent colour if the learner has a code.
 */
function paperOf(state: RedemptionState, closed: ClosedWords | undefined): TicketState {
  switch (state.kind) {
    case 'issued':
      return isPast(state.issued) ? 'past' : 'issued';
    case 'closed':
      return closed?.mayCome ? 'idle' : 'spent';
    case 'soldOut':
      return 'spent';
    case 'refused':
      return 'error';
    default:
      return state.kind;
  }
}

type RedeemButtonProps = {
  button: RefObject<HTMLButtonElement | null>;
  kind: 'idle' | 'busy' | 'refused' | 'soldOut';
  waiting: boolean;
  visitor: boolean;
  /** Set when the redeem button is removed or disabled: true if the button had the focus. */
  hadFocus: RefObject<boolean>;
  onPress: () => void;
};

function RedeemButton({ button, kind, waiting, visitor, hadFocus, onPress }: RedeemButtonProps) {
  const busy = kind === 'busy';
  // The clean-up of a layout effect runs while the button is still in the document. So the clean-up can check whether
  // the button has the focus.
  useLayoutEffect(() => {
    const element = button.current;
    return () => {
      hadFocus.current = kind === 'busy' && element === document.activeElement;
    };
  }, [button, kind, hadFocus]);
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
