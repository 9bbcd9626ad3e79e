// The state of a product for a learner, and the order of the cards on the home page.
import type { MyProduct } from '@portal/contract';
import { sayDate } from '../../words/format.ts';

export type BenefitState = 'ready' | 'issued' | 'soldout';

type Known = Pick<MyProduct, 'assigned_at' | 'sold_out'>;

const ORDER: Record<BenefitState, number> = { ready: 0, issued: 1, soldout: 2 };

/**
 * Returns the state of a product. A product whose code the learner has is `issued`, even if no codes are left for
 * others.
 */
export function benefitState({ assigned_at, sold_out }: Known): BenefitState {
  if (assigned_at) return 'issued';
  return sold_out ? 'soldout' : 'ready';
}

/**
 * Sorts products: first those to redeem, then the redeemed ones, then the sold-out ones. Products in the same state
 * keep the order of the server.
 */
export function byState(a: Known, b: Known): number {
  return ORDER[benefitState(a)] - ORDER[benefitState(b)];
}

/** Formats the day of an ISO time in the current locale. The year is left out if it is the current year. */
export function dayOf(time: string, now: Date): string {
  const date = new Date(time);
  const year = date.getFullYear() === now.getFullYear() ? undefined : 'numeric';
  return sayDate(date, { day: 'numeric', month: 'short', year });
}
