// Redeems a code, automatically or after a click. The state is idle, busy, issued, refused or sold out (R-PROD-31,
// R-AUTO-01 to R-AUTO-07).
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { call } from '../../api.ts';
import { brand } from '../../brand.ts';
import { listMyProducts, redeemCoupon } from '../../calls.ts';
import { useSession } from '../../parts/use-session.ts';
import { forgetPendingRedemption } from '../../sign-in-path.ts';
import { showToast, type ToastWords } from '../../ui/toast-store.ts';
import { say } from '../../words/say.ts';
import { explainRefusal, type Refusal } from './refusal.ts';

/** Delay before the automatic redemption (R-AUTO-02). */
const REDEEM_DELAY_MS = 500;

/** Returns the toast for a product without an id (R-VAL-09). */
const sayNoProduct = (): ToastWords => ({
  title: say('Error'),
  description: say('Product information not available'),
  variant: 'destructive',
});

export type IssuedCode = {
  code: string;
  url: string;
  /** True if this request issued the code. False if the learner already had the code. */
  fresh: boolean;
};

type Starter = 'user' | 'page';

/** One attempt to redeem. `owner` is the id of the user; `startedBy` says whether a click or the page started it. */
type Attempt = { owner: string; startedBy: Starter };

export type RedemptionState =
  | { kind: 'idle' }
  | { kind: 'busy' }
  | { kind: 'issued'; issued: IssuedCode; startedBy: Starter }
  | (Refusal & { kind: 'refused' | 'soldOut'; startedBy: Starter });

/**
 * Returns the state of the redemption on this page, and a function that starts a redemption. The page calls the
 * function on a click.
 */
export function useRedemption(productId: string): { state: RedemptionState; redeem: () => void } {
  const queries = useQueryClient();
  const session = useSession();
  const owner = session.status === 'signed-in' ? session.userId : '';
  const attemptedBy = useRef<string>(undefined);
  // True while a request runs. This is a ref, because a new state takes effect only with the next render. The second
  // click of a double click can come before that render.
  const underWay = useRef(false);
  const { mutate, status, data, error, variables } = useMutation({
    mutationFn: (_attempt: Attempt) => redeem(productId),
    onSettled: () => {
      underWay.current = false;
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: [listMyProducts.path] }),
    onError: (cause) => {
      const { kind, title, message } = explainRefusal(cause, brand.support_email);
      if (kind === 'session') showToast({ title, description: message, variant: 'destructive' });
    },
  });

  const start = (startedBy: Starter) => {
    if (underWay.current) return;
    if (productId === '') return showToast(sayNoProduct());
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
    // If another user has signed in meanwhile, the result belongs to the previous user and is not shown.
    if (!variables || variables.owner !== owner) return { kind: 'idle' };
    const { startedBy } = variables;
    if (status === 'pending') return { kind: 'busy' };
    if (status === 'success') return { kind: 'issued', issued: data, startedBy };
    const refusal = explainRefusal(error, brand.support_email);
    const { kind, ...words } = refusal;
    return kind === 'session' ? { kind: 'idle' } : { kind, ...words, startedBy };
  }
}

// Calls `start` once, after a delay, if a user with an email address is signed in (R-AUTO-01 to R-AUTO-04). In
// development, StrictMode runs effects twice. The clean-up cancels the first timer, so `start` is still called once.
function useAutomaticStart(start: () => void): void {
  const session = useSession();
  const mayStart = session.status === 'signed-in' && session.email !== '';
  const latest = useRef(start);
  useEffect(() => {
    latest.current = start;
  });
  useEffect(() => {
    if (!mayStart) return;
    const timer = setTimeout(() => latest.current(), REDEEM_DELAY_MS);
    return () => clearTimeout(timer);
  }, [mayStart]);
}

async function redeem(productId: string): Promise<IssuedCode> {
  const { coupon, productUrl, is_new } = await call(redeemCoupon, { body: { productId } });
  return { code: coupon.couponCode, url: productUrl, fresh: is_new };
}
