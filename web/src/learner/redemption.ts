// Redeems a code, automatically or after a click. The state is idle, busy, issued, refused, sold out or closed
// (R-PROD-31, R-AUTO-01 to R-AUTO-07, R-LIFE-36).
import type { MyProduct, Product } from '@portal/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import { ApiError, call, listMyProducts, redeemCoupon } from '../api.ts';
import { isUnreachable, type SessionState } from '../auth.ts';
import { productIdOf } from '../navigation.ts';
import { queryOf, useSession } from '../queries.ts';
import { brand } from '../settings.ts';
import { forgetPendingRedemption } from '../sign-in/session.ts';
import { showError } from '../ui/toast-store.ts';
import { formatDay } from '../words/format.ts';
import { t, tServed } from '../words/translate.ts';

/** Delay before the automatic redemption (R-AUTO-02). */
const REDEEM_DELAY_MS = 500;

export type IssuedCode = {
  code: string;
  url: string;
  /** True if this request issued the code. False if the learner already had the code. */
  fresh: boolean;
  /** Last day of the code; null if the code has no last day. */
  useBy: string | null;
  /** The day on which staff replaced the learner's previous code by this one; null if this code replaced none. */
  replacedOn: string | null;
  /** True if the portal made the code, and the partner may not know it yet. */
  isUnconfirmed: boolean;
};

type Starter = 'user' | 'page';

/** One attempt to redeem. `owner` is the id of the user; `startedBy` says whether a click or the page started it. */
type Attempt = { owner: string; startedBy: Starter };

export type RedemptionState =
  | { kind: 'idle' }
  | { kind: 'busy' }
  | { kind: 'issued'; issued: IssuedCode; startedBy: Starter }
  | (Refusal & { kind: 'refused' | 'soldOut'; startedBy: Starter })
  | (Closed & { startedBy?: Starter });

/** Returns the state of the redemption on this page, and a function for the click that starts one. */
export function useRedemption(product: Product): { state: RedemptionState; redeem: () => void } {
  const productId = productIdOf(product);
  const queries = useQueryClient();
  const session = useSession();
  const owner = session.status === 'signed-in' ? session.userId : '';
  const known = useKnownClosed(product);
  const attemptedBy = useRef<string>(undefined);
  // True while a request runs. A ref, because the second click of a double click can come before the next render.
  const underWay = useRef(false);
  const forgetMyProducts = () => queries.invalidateQueries({ queryKey: [listMyProducts.path] });
  const { mutate, status, data, error, variables } = useMutation({
    mutationFn: (_attempt: Attempt) => redeem(productId),
    onSettled: () => {
      underWay.current = false;
    },
    onSuccess: forgetMyProducts,
    onError: (cause) => {
      const refusal = explainRefusal(cause, brand.support_email);
      if (refusal.kind === 'closed') return forgetMyProducts();
      if (refusal.kind === 'session') showError(refusal.title, refusal.message);
    },
  });

  const start = (startedBy: Starter) => {
    if (underWay.current) return;
    // R-VAL-09.
    if (productId === '') return showError(t('Error'), t('Product information not available'));
    underWay.current = true;
    attemptedBy.current = owner;
    forgetPendingRedemption();
    mutate({ owner, startedBy });
  };
  useAutomaticStart(() => {
    if (attemptedBy.current !== owner) start('page');
  });

  return { state: stateOf(), redeem: () => start('user') };

  function stateOf(): RedemptionState {
    // The result of another user, who was signed in before, is not shown. A learner may hold a code of a closed product,
    // so the state is `busy` until the automatic redemption ends.
    if (!variables || variables.owner !== owner) {
      return known ?? { kind: isLearner(session) && closedByStatus(product) ? 'busy' : 'idle' };
    }
    const { startedBy } = variables;
    if (status === 'pending') return (startedBy === 'page' && known) || { kind: 'busy' };
    if (status === 'success') return { kind: 'issued', issued: data, startedBy };
    const refusal = explainRefusal(error, brand.support_email);
    if (refusal.kind === 'closed') return { ...refusal, startedBy };
    const { kind, ...words } = refusal;
    return kind === 'session' ? { kind: 'idle' } : { kind, ...words, startedBy };
  }
}

/** Calls `start` once, after a delay, if a user with an email address is signed in (R-AUTO-01 to R-AUTO-04). */
function useAutomaticStart(start: () => void): void {
  const session = useSession();
  const mayStart = isLearner(session);
  const begin = useEffectEvent(start);
  useEffect(() => {
    if (!mayStart) return;
    const timer = setTimeout(() => begin(), REDEEM_DELAY_MS);
    return () => clearTimeout(timer);
  }, [mayStart]);
}

/** True for a signed-in user with an email address, for whom the page redeems automatically. */
function isLearner(session: SessionState): boolean {
  return session.status === 'signed-in' && session.email !== '';
}

async function redeem(productId: string): Promise<IssuedCode> {
  const reply = await call(redeemCoupon, { body: { productId } });
  return {
    code: reply.coupon.couponCode,
    url: reply.productUrl,
    fresh: reply.is_new,
    useBy: reply.use_by,
    replacedOn: reply.replaced_on,
    isUnconfirmed: reply.unconfirmed,
  };
}

/**
 * Returns why the ticket is closed before anybody presses 'Redeem Now'; undefined if the ticket is open, or if that is
 * not known yet. For a visitor, the status of the product decides. A learner may hold a code of a closed product. So
 * for a learner, the list of the learner's products decides, if the home page has loaded it.
 */
function useKnownClosed(product: Product): Closed | undefined {
  const queries = useQueryClient();
  const session = useSession();
  if (session.status === 'signed-out') return closedByStatus(product);
  if (session.status === 'loading') return undefined;
  const { queryKey } = queryOf(listMyProducts, {}, session.userId);
  const known = queries.getQueryState(queryKey);
  const mine = known?.isInvalidated ? undefined : known?.data;
  const found = mine?.find((each) => productIdOf(each) === productIdOf(product));
  return found && closedForLearner(found, product);
}

/** Error codes of the server for which the page shows a closed ticket instead of an error. */
const REASONS = [
  'product_not_open',
  'product_paused',
  'product_ended',
  'access_not_started',
  'access_ended',
  'code_revoked',
] as const;

/**
 * Why this visitor or learner cannot redeem the product now (R-LIFE-36). `day` is the day on which redeeming opens, or on
 * which the access begins or ended.
 */
export type Closed = { kind: 'closed'; reason: (typeof REASONS)[number]; day?: string | null | undefined };

/** Texts of a closed ticket. `from` is printed on the stub. `mayCome` is set if a code may be issued later. */
export type ClosedWords = { title: string; message: string; from?: string; mayCome?: true };

/** Returns undefined if the error code of the server is not one of `REASONS`. */
export function closedByRefusal(code: string | undefined, day: string | undefined): Closed | undefined {
  const reason = REASONS.find((each) => each === code);
  return reason && { kind: 'closed', reason, day };
}

/** Returns why people without a code cannot redeem the product now; undefined if it is open. */
export function closedByStatus({ status, opens_on }: Product): Closed | undefined {
  if (status === 'scheduled') return { kind: 'closed', reason: 'product_not_open', day: opens_on };
  if (status === 'paused') return { kind: 'closed', reason: 'product_paused' };
  if (status === 'ended' || status === 'archived') return { kind: 'closed', reason: 'product_ended' };
  return undefined;
}

/** Returns why the ticket is closed, by the product in the learner's list; undefined if the ticket is open. */
export function closedForLearner({ state, from }: MyProduct, { opens_on }: Product): Closed | undefined {
  if (state === 'paused') return { kind: 'closed', reason: 'product_paused' };
  if (state === 'revoked') return { kind: 'closed', reason: 'code_revoked' };
  if (state !== 'not_yet') return undefined;
  return { kind: 'closed', reason: from === opens_on ? 'product_not_open' : 'access_not_started', day: from };
}

/** The day is formatted for `locale`. `email` is the address of the support. */
export function formatClosed({ reason, day }: Closed, locale: string, email: string): ClosedWords {
  const at = { day: day ? formatDay(day, undefined, locale) : '', email };
  const later = { from: t('From {day}', at), mayCome: true } as const;
  switch (reason) {
    case 'product_not_open':
      return { title: t('Not open yet'), message: t('Redeeming opens on {day}.', at), ...later };
    case 'access_not_started': {
      const message = t('Your access to this benefit begins on {day}.', at);
      return { title: t('Not yet yours'), message, ...later };
    }
    case 'product_paused':
      return {
        title: t('Paused'),
        message: t('This benefit is paused for the moment. Please try again later.'),
        mayCome: true,
      };
    case 'product_ended':
      return {
        title: t('This offer has ended'),
        message: t('Codes of this benefit are no longer handed out.'),
      };
    case 'access_ended':
      return {
        title: t('Your access has ended'),
        message: t('Your access to this benefit ended on {day}. Please write to us at {email}', at),
      };
    case 'code_revoked':
      return {
        title: t('Code withdrawn'),
        message: t('Your code of this benefit was withdrawn. Please write to us at {email}', { email }),
      };
  }
}

type Refusal = {
  /** `soldOut` is a state of its own on the page. `session`: the session has ended. */
  kind: 'refused' | 'soldOut' | 'session';
  title: string;
  message: string;
  /** Set if the learner might have access with another account. */
  wrongAccount?: true;
  /** Set if the error is probably temporary. Then a button beside the message redeems again (N-119). */
  mayPass?: true;
};

/** Status codes that a proxy sends if it cannot reach the portal. */
const UNREACHED = [404, 502, 503, 504];

/**
 * Returns the title and message for a failed redemption (R-ERR-01 to R-ERR-08), or why the ticket is closed
 * (R-LIFE-36). The checks run in the order of A-59.
 */
export function explainRefusal(error: unknown, supportEmail: string): Refusal | Closed {
  const refusal = error instanceof ApiError ? error : undefined;
  if (refusal?.status === 429) {
    const message = t('Please wait a moment and try again.');
    return { kind: 'refused', title: t('Too many requests'), message };
  }
  const support = { email: supportEmail };
  if (!refusal?.isReadable || refusal.status >= 500) {
    const message = t('We apologise, there seems to be an error. Please write to us at {email}', support);
    return { kind: 'refused', title: t('Error'), message, ...(mayPass(error) && { mayPass: true }) };
  }

  const { code, status } = refusal;
  const closed = closedByRefusal(code, refusal.day);
  if (closed) return closed;
  const title = refusal.title === undefined ? t('Sorry, access is restricted!') : tServed(refusal.title);
  const served = refusal.serverMessage && tServed(refusal.serverMessage);
  const noAccess = t(
    'Oops! Seems like you do not have access! Please write to us at {email} if you think this is an error.',
    support,
  );
  if (status === 401) return { kind: 'session', title, message: served ?? noAccess };
  if (code === 'no_coupon_left') return { kind: 'soldOut', title, message: served ?? '' };
  if (code === 'product_not_found') return { kind: 'refused', title, message: served ?? '' };
  const isRestricted = refusal.title === undefined || /access is restricted/i.test(refusal.title);
  const isUnknown = /not authorized|not in our database/i.test(refusal.serverMessage ?? '');
  const message =
    isUnknown && !isRestricted
      ? t(
          'Seems like your email is not registered. Please ensure you login with the same email you made the purchase with.',
        )
      : noAccess;
  return { kind: 'refused', title, message, wrongAccount: true };
}

/** True without a connection, if a proxy cannot reach the portal, or if the server is overloaded (503). */
function mayPass(error: unknown): boolean {
  if (!(error instanceof ApiError)) return isUnreachable(error);
  return error.status === 503 || (!error.isReadable && UNREACHED.includes(error.status));
}
