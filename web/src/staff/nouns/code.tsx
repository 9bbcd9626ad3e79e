// Shows a code on staff pages: its state, and the code itself, either masked or revealed with a copy button.
import { type CouponState, type ListedCoupon, maskCode, revealCoupon } from '@portal/contract';
import { Check, Copy } from 'lucide-react';
import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Link, useLocation } from 'wouter';
import { ApiError, call } from '../../api.ts';
import { useCopy } from '../../ui/copy.tsx';
import { classes } from '../../ui/dom.ts';
import { Icon } from '../../ui/icon.tsx';
import { ROW_LINK } from '../../ui/table.tsx';
import { StateMark } from '../../ui/tag.tsx';
import { showError, showToast } from '../../ui/toast-store.ts';
import { t } from '../../words/translate.ts';
import { toastError, toastRefusal } from '../action.tsx';
import { TEXT_LINK } from './person.tsx';

export const CODES_PATH = '/admin/coupons';
export const UPLOADS_PATH = '/admin/coupons/uploads';
export const STOCK_PATH = '/admin/coupons/stock';

export const couponPath = (id: string) => `${CODES_PATH}/${id}`;

/** R-ACPN-26, A-31, R-LIFE-34, R-DAY-20. */
export function formatState(state: CouponState): string {
  if (state === 'held') return t('Assigned');
  if (state === 'revoked') return t('Revoked');
  if (state === 'expired') return t('Expired');
  return state === 'void' ? t('Void') : t('Available');
}

const LOOKS = { free: 'ring', held: 'accent', revoked: 'crossed', void: 'faint', expired: 'faint' } as const;

export function CodeState({ state }: Pick<ListedCoupon, 'state'>) {
  return <StateMark look={LOOKS[state]}>{formatState(state)}</StateMark>;
}

/**
 * For a list. The usual states are plain words, so that the others stand out. Screen readers also read the code: a table has
 * many links with the same word.
 */
export function StateLink({ coupon }: { coupon: Pick<ListedCoupon, 'id' | 'state'> & MaybeHidden }) {
  const { id, state } = coupon;
  return (
    <Link
      href={couponPath(id)}
      className={classes(ROW_LINK, 'min-w-6')}
      aria-label={t('{state}: {code}', { state: formatState(state), code: speakCode(coupon) })}
    >
      {state === 'held' || state === 'free' ? (
        <span className={state === 'free' ? 'text-ink-3' : undefined}>{formatState(state)}</span>
      ) : (
        <CodeState state={state} />
      )}
    </Link>
  );
}

const CODE = 'min-w-0 font-mono text-(length:--text-sm) tracking-normal [font-variant-ligatures:none]';

/** Classes of a code in full. A click, and so a double click, selects all of it, also after a hyphen (R-FIND-02). */
export const WHOLE_CODE = `${CODE} select-all wrap-anywhere`;

const ACT = classes(
  TEXT_LINK,
  'flex-none cursor-pointer font-sans text-(length:--text-sm) aria-disabled:cursor-not-allowed aria-disabled:text-ink-3 aria-disabled:no-underline',
);

type HiddenCodeProps = {
  coupon: MaybeHidden & { id: string };
  reveals: Reveals;
  /** False if the user's role may not see this code. There is no button then. */
  mayShow?: boolean;
  /** True for a revoked code, which is struck through. */
  struck?: boolean;
  /** True in a list of codes: the code opens its page. */
  isLink?: boolean;
};

/** A masked code with a button that shows the code. Once the code is shown, another button copies it. */
export function HiddenCode({ coupon, reveals, ...props }: HiddenCodeProps) {
  const { mayShow = true, struck = false, isLink = false } = props;
  const code = reveals.shown.get(coupon.id);
  const { hint } = coupon;
  const Text = struck ? 'del' : 'span';
  const { busy, show, copyButton } = useShowCode(reveals, coupon.id);
  const { copy } = useCopy();
  const words = code ?? (
    <>
      <span aria-hidden="true">{formatCode(coupon)}</span>
      <span className="sr-only">{speakCode(coupon)}</span>
    </>
  );
  return (
    // In a table, the column has room for a shown code, so that nothing moves. Phones show a long code on several lines.
    <span className="inline-flex max-w-full items-center gap-2.5 max-md:whitespace-normal max-md:wrap-anywhere lg:[:is(th,td)>&]:min-w-52">
      <Text
        className={classes(
          CODE,
          // A cell of a table hides what reaches beyond its edge.
          code !== undefined &&
            'select-all -ml-1.25 rounded-[3px] bg-accent-soft px-1.25 py-0.25 max-md:[:is(th,td)>*>&]:ml-0',
          struck && 'line-through text-ink-3',
        )}
      >
        {isLink ? <CodeLink id={coupon.id}>{words}</CodeLink> : words}
      </Text>
      {/* 'Show' and 'Copy' are two elements, because screen readers do not announce that a name has changed. */}
      {mayShow && code === undefined && (
        // Uses `aria-disabled` instead of `disabled`: the button keeps the focus, and a click shows how long to wait.
        <button
          type="button"
          className={ACT}
          aria-label={formatShow(hint)}
          aria-disabled={reveals.isDisabled || undefined}
          aria-busy={busy || undefined}
          onClick={() => void show()}
        >
          {t('Show')}
        </button>
      )}
      {mayShow && code !== undefined && (
        <button
          ref={copyButton}
          type="button"
          className={ACT}
          aria-label={t('Copy {code}', { code })}
          onClick={async () => toastCopied(await copy(code))}
        >
          {t('Copy')}
        </button>
      )}
    </span>
  );
}

/** For a button that shows a code. The button `Copy` then takes its place, and its focus if nothing else has the focus. */
export function useShowCode(reveals: Reveals, id: string) {
  const [busy, setBusy] = useState(false);
  const copyButton = useRef<HTMLButtonElement>(null);
  const show = async () => {
    if (busy) return;
    setBusy(true);
    await reveals.show(id);
    setBusy(false);
    if (document.activeElement === document.body) copyButton.current?.focus();
  };
  return { busy, show, copyButton };
}

/** A code that is not hidden, in a row of a table (R-FIND-02). */
export function ClearCode({ code, id }: { code: string; id: string }) {
  return (
    <span className="inline-flex items-center gap-1.5 max-w-full align-middle max-md:min-h-7 pointer-coarse:min-h-11">
      {/* The buttons of most codes are in one line. */}
      <span className="min-w-0 md:min-w-30">
        <CodeLink id={id}>{code}</CodeLink>
      </span>
      <CopyCode code={code} />
    </span>
  );
}

/** The time for the second click of a double click. */
const DOUBLE_CLICK_MS = 250;

/**
 * A code in a row of a table. A click opens its page (R-DAY-38), a double click selects all of the code (R-FIND-02). So the
 * page opens when no second click follows. The keyboard, and a click for another tab, open the page at once.
 */
function CodeLink({ id, children }: { id: string; children: ReactNode }) {
  const [, navigate] = useLocation();
  const opening = useRef(0);
  useEffect(() => () => clearTimeout(opening.current), []);
  const press = (event: MouseEvent) => {
    if (event.detail === 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    clearTimeout(opening.current);
    if (event.detail === 1)
      opening.current = window.setTimeout(() => navigate(couponPath(id)), DOUBLE_CLICK_MS);
  };
  return (
    <Link
      href={couponPath(id)}
      className={classes(ROW_LINK, 'min-w-0 select-all')}
      draggable={false}
      onClick={press}
    >
      {children}
    </Link>
  );
}

export function CopyCode({ code }: { code: string }) {
  const { copied, copy } = useCopy();
  return (
    <button
      type="button"
      className="relative pointer-coarse:after:absolute pointer-coarse:after:-inset-2.5 size-6 flex-none grid place-items-center rounded-xs text-ink-3 cursor-pointer hover:bg-pressed hover:text-ink"
      aria-label={t('Copy {code}', { code })}
      title={t('Copy')}
      onClick={async () => toastCopied(await copy(code))}
    >
      <Icon of={copied ? Check : Copy} size={16} />
    </button>
  );
}

/** Shows a toast. `isCopied` is false if the clipboard could not be written. */
export function toastCopied(isCopied: boolean, done = t('Code copied!')): void {
  if (isCopied) showToast({ title: done });
  else showError(t('Failed to copy'));
}

/** If the code is hidden, `coupon_code` is null, and `hint` has its last characters, if there are any. */
type MaybeHidden = { coupon_code: string | null; hint?: string | null | undefined };

/** Returns the code; a masked one if the code is hidden. */
export function formatCode({ coupon_code, hint = null }: MaybeHidden): string {
  return coupon_code ?? maskCode(hint);
}

/** Returns the code as screen readers read it. They would read the dots one by one. */
export function speakCode({ coupon_code, hint }: MaybeHidden): string {
  return coupon_code ?? (hint ? t('Code ending in {hint}', { hint }) : t('Hidden code'));
}

/** Returns the label of the button that shows a hidden code. */
export function formatShow(hint: MaybeHidden['hint']): string {
  return hint ? t('Show the code ending in {hint}', { hint }) : t('Show the hidden code');
}

export type Reveals = {
  /** The codes that are shown, by the id of the coupon. */
  shown: ReadonlyMap<string, string>;
  /** True while the server shows no more codes, because the user has had too many shown. */
  isDisabled: boolean;
  /** Shows the code. If the server refuses, shows a toast instead. Never rejects. */
  show: (id: string) => Promise<void>;
};

/** Keeps codes that the server has shown on this page. They are in no cache, so they are gone when the page is left. */
export function useReveals(): Reveals {
  const [shown, setShown] = useState<ReadonlyMap<string, string>>(new Map());
  // The time at which the server shows codes again, in ms; 0 if it shows codes now.
  const [offUntil, setOffUntil] = useState(0);
  useEffect(() => {
    if (offUntil === 0) return;
    const timer = setTimeout(() => setOffUntil(0), offUntil - Date.now());
    return () => clearTimeout(timer);
  }, [offUntil]);

  const show = async (id: string) => {
    if (offUntil > 0) return toastWait(offUntil);
    try {
      const { coupon_code } = await call(revealCoupon, { params: { id } });
      // Renders synchronously, so that the caller can move the focus to the new button.
      flushSync(() => setShown((before) => new Map(before).set(id, coupon_code)));
    } catch (error) {
      const wait = error instanceof ApiError && error.code === 'too_many_requests' && error.retryAfter;
      if (!wait) return void toastRefusal(error, t('Failed to show the code'));
      const until = Date.now() + wait * 1000;
      setOffUntil(until);
      toastWait(until);
    }
  };
  return { shown, isDisabled: offUntil > 0, show };
}

function toastWait(until: number): void {
  const minutes = Math.max(1, Math.ceil((until - Date.now()) / 60_000));
  toastError(
    t(
      'You showed 30 codes in the last 10 minutes. Please wait {minutes} min. The owners were told by mail.',
      { minutes },
    ),
  );
}
