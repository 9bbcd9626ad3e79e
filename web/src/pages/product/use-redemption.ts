// Redeems a code, automatically or after a click. The state is idle, busy, issued, refused, sold out or closed
// (R-PROD-31, R-AUTO-01 to R-AUTO-07, R-LIFE-36).
import type { Product } from '@portal/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { call } from '../../api.ts';
import { brand } from '../../brand.ts';
import { listMyProducts, redeemCoupon } from '../../calls.ts';
import { productIdOf } from '../../parts/product-id.ts';
import { useSession } from '../../parts/use-session.ts';
import type { SessionState } from '../../session-state.ts';
import { forgetPendingRedemption } from '../../sign-in-path.ts';
import { showToast, type ToastWords } from '../../ui/toast-store.ts';
import { say } from '../../words/say.ts';
import { type Closed, closedByStatus } from './closed.ts';
import { explainRefusal, type Refusal } from './refusal.ts';
import { useKnownClosed } from './use-known-closed.ts';

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
  /** Last day of the code; null if the code has no last day. */
  useBy: string | null;
  /** The day on which staff replaced the learner's previous code by this one; null if this code replaced none. */
  replacedOn: string | null;
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

/**
 * Returns the state of the redemption on this page, and a function that starts a redemption. The page calls the
 * function on a click.
 */
export function useRedemption(product: Product): { state: RedemptionState; redeem: () => void } {
  const productId = productIdOf(product);
  const queries = useQueryClient();
  const session = useSession();
  const owner = session.status === 'signed-in' ? session.userId : '';
  const known = useKnownClosed(product);
  const attemptedBy = useRef<string>(undefined);
  // True while a request runs. This is a ref, because a new state takes effect only with the next render. The second
  // click of a double click can come before that render.
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
      if (refusal.kind === 'session')
        showToast({ title: refusal.title, description: refusal.message, variant: 'destructive' });
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
    // If another user has signed in meanwhile, the result belongs to the previous user and is not shown. A learner may
    // hold a code of a closed product. So the state is `busy` until the automatic redemption ends.
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

// Calls `start` once, after a delay, if a user with an email address is signed in (R-AUTO-01 to R-AUTO-04). In
// development, StrictMode runs effects twice. The clean-up cancels the first timer, so `start` is still called once.
function useAutomaticStart(start: () => void): void {
  const session = useSession();
  const mayStart = isLearner(session);
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

/** True for a signed-in user with an email address, for whom the page redeems automatically. */
function isLearner(session: SessionState): boolean {
  return session.status === 'signed-in' && session.email !== '';
}

async function redeem(productId: string): Promise<IssuedCode> {
  const { coupon, productUrl, is_new, use_by, replaced_on } = await call(redeemCoupon, {
    body: { productId },
  });
  return {
    code: coupon.couponCode,
    url: productUrl,
    fresh: is_new,
    useBy: use_by,
    replacedOn: replaced_on,
  };
}
