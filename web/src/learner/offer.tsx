// The ticket of the product page, in every state of the redemption.
import type { Product } from '@portal/contract';
import { CircleAlert } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import { useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { productIdOf } from '../navigation.ts';
import { useSession } from '../queries.ts';
import { brand } from '../settings.ts';
import { openLogin, preparesLogin, SignedInAs } from '../sign-in/store.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { LinkedText } from '../ui/text.tsx';
import {
  Ticket,
  TicketMain,
  TicketMiddle,
  TicketNote,
  TicketSlots,
  type TicketState,
  TicketStub,
  TicketTop,
} from '../ui/ticket.tsx';
import { currentLocale } from '../words/format.ts';
import { t } from '../words/translate.ts';
import { IssuedMain, isPast, useFocusOnArrival, VisitSite } from './issued.tsx';
import { type ClosedWords, formatClosed, type RedemptionState, type useRedemption } from './redemption.ts';

const CODE_FACE = '500 1em "Geist Mono Variable"';

/**
 * Loads the font for codes before a code is shown: with `font-display: optional`, a font that arrives later is not used.
 * Never rejects.
 */
export function loadCodeFace(): Promise<unknown> {
  return document.fonts.load(CODE_FACE).catch(() => undefined);
}

type OfferProps = { product: Product; redemption: ReturnType<typeof useRedemption> };

export function Offer({ product, redemption: { state, redeem } }: OfferProps) {
  const id = productIdOf(product);
  const session = useSession();
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
  // If the redeem button had the focus, the new heading or copy button gets it. Some browsers do not focus a clicked
  // button, so a redemption that a click has started also moves the focus.
  const takesFocus = () => hadFocus.current || ('startedBy' in state && state.startedBy === 'user');
  const issued = state.kind === 'issued' ? state.issued : undefined;
  // The account of the user is below the ticket: inside, it would change the height of the ticket.
  return (
    <div>
      <OfferTicket
        id={id}
        state={state}
        takesFocus={takesFocus}
        onRetry={() => {
          // The pressed button is removed. The redeem button stays on the page, so it gets the focus.
          button.current?.focus();
          press();
        }}
        code={issued && <IssuedMain product={product} issued={issued} takesFocus={takesFocus} />}
      >
        {issued && (
          <>
            {/* On paper, the ticket itself says what the code is for, and where it comes from (R-DAY-64). */}
            <p className="hidden wrap-anywhere print:block">
              <bdi>{product.name}</bdi>
              <br />
              {location.host}
            </p>
            <VisitSite url={issued.url} look={isPast(issued) ? 'outline' : 'inverse'} />
          </>
        )}
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

export function OfferTicket({ id, state, takesFocus = () => false, onRetry, ...props }: OfferTicketProps) {
  const { label, code, children } = props;
  const locale = useDateLocale();
  const closed = state.kind === 'closed' ? formatClosed(state, locale, brand.support_email) : undefined;
  return (
    <Ticket
      state={paperOf(state, closed)}
      layout="turning"
      printsOver={state.kind === 'issued' && state.issued.fresh ? id : undefined}
      aria-label={label ?? t('Your coupon')}
      aria-live="polite"
      aria-busy={state.kind === 'busy' || undefined}
    >
      <TicketMain>
        <OfferMain state={state} closed={closed} takesFocus={takesFocus} onRetry={onRetry} code={code} />
      </TicketMain>
      <TicketStub print={id}>
        {closed?.from && <p className="relative text-xl font-semibold tracking-snug">{closed.from}</p>}
        {children}
      </TicketStub>
    </Ticket>
  );
}

/**
 * Returns the locale for dates. The first render must match the HTML of the server, which does not know the user's locale
 * and formats dates for the language of the page.
 */
function useDateLocale(): string {
  return useSyncExternalStore(
    ignoreChanges,
    () => currentLocale.locale,
    () => currentLocale.language,
  );
}

const ignoreChanges = () => () => undefined;

/** Returns the look of the paper: white if a code may come, the page's colour if not, the accent colour with a code. */
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
  // The clean-up of a layout effect runs while the button is still in the document and can have the focus.
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
      {busy ? t('Loading...') : t('Redeem Now')}
    </Button>
  );
}

type OfferMainProps = Required<Pick<OfferTicketProps, 'state' | 'takesFocus' | 'code'>> & {
  closed: ClosedWords | undefined;
  onRetry: (() => void) | undefined;
};

function OfferMain({ state, closed, takesFocus, onRetry, code }: OfferMainProps) {
  if (state.kind === 'refused') return <RefusalBox refusal={state} onRetry={onRetry} />;
  if (state.kind === 'issued') return code;
  const words = state.kind === 'soldOut' ? state : closed;
  if (words) {
    const isByUser = 'startedBy' in state && state.startedBy === 'user';
    const role = isByUser || state.kind === 'soldOut' ? 'alert' : undefined;
    return (
      <Blank>
        <NoCode words={words} role={role} takesFocus={takesFocus} />
      </Blank>
    );
  }
  const note =
    state.kind === 'busy'
      ? t('Reserving a code for you. This takes a moment.')
      : t('One code, reserved for you. It appears here when you redeem.');
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
        <span>{t('Coupon code')}</span>
        <span>{t('Single use')}</span>
      </TicketTop>
      <TicketMiddle>
        <TicketSlots />
      </TicketMiddle>
      {children}
    </>
  );
}

type RefusalBoxProps = Pick<OfferMainProps, 'onRetry'> & {
  refusal: { title: string; message: string; mayPass?: true };
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
          {t('Try again')}
        </Button>
      )}
    </div>
  );
}

type NoCodeProps = { words: ClosedWords; role: 'alert' | undefined; takesFocus: () => boolean };

/** Shows why there is no code. The heading takes the focus of the clicked button. */
function NoCode({ words: { title, message }, role, takesFocus }: NoCodeProps) {
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
