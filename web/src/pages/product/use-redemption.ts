// Redeeming a code, by hand and by itself: idle, busy, issued or refused (R-PROD-31, R-AUTO-01 to R-AUTO-07).
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

/** R-AUTO-02. */
const REDEEM_DELAY_MS = 500;

/** R-VAL-09: of a product that came without its id. */
const sayNoProduct = (): ToastWords => ({
  title: say('Error'),
  description: say('Product information not available'),
  variant: 'destructive',
});

export type IssuedCode = {
  code: string;
  url: string;
  /** Handed out by this very call, not on an earlier visit or in another tab. */
  fresh: boolean;
};

type Starter = 'hand' | 'itself';

/** One attempt: whose, and who began it. */
type Attempt = { owner: string; startedBy: Starter };

export type RedemptionState =
  | { kind: 'idle' }
  | { kind: 'busy' }
  | { kind: 'issued'; issued: IssuedCode; startedBy: Starter }
  | (Refusal & { kind: 'refused' | 'soldOut'; startedBy: Starter });

/** The state of one product's redemption on this page, and the way to start it by hand. */
export function useRedemption(productId: string): { state: RedemptionState; redeem: () => void } {
  const queries = useQueryClient();
  const session = useSession();
  const owner = session.status === 'signed-in' ? session.userId : '';
  const attemptedBy = useRef<string>(undefined);
  // The button is told that it is busy only at the next rendering, after the second press of a double click.
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
    if (attemptedBy.current !== owner) start('itself');
  });

  return { state: stateOf(), redeem: () => start('hand') };

  function stateOf(): RedemptionState {
    // What somebody else was told before is nobody's business.
    if (!variables || variables.owner !== owner) return { kind: 'idle' };
    const { startedBy } = variables;
    if (status === 'pending') return { kind: 'busy' };
    if (status === 'success') return { kind: 'issued', issued: data, startedBy };
    const refusal = explainRefusal(error, brand.support_email);
    const { kind, ...words } = refusal;
    return kind === 'session' ? { kind: 'idle' } : { kind, ...words, startedBy };
  }
}

// Once, after a moment, for somebody signed in with an e-mail (R-AUTO-01 to R-AUTO-04). A timer that is cancelled
// before it fires counts for nothing, so the double effects of StrictMode start it once.
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
