// How far a learner has come with a product, and the order of the cards.
import type { MyProduct } from '@portal/contract';
import { sayDate } from '../../words/format.ts';

export type BenefitState = 'ready' | 'issued' | 'soldout';

type Known = Pick<MyProduct, 'assigned_at' | 'sold_out'>;

const ORDER: Record<BenefitState, number> = { ready: 0, issued: 1, soldout: 2 };

/** A learner who holds a code has it whether or not others can still get one. */
export function benefitState({ assigned_at, sold_out }: Known): BenefitState {
  if (assigned_at) return 'issued';
  return sold_out ? 'soldout' : 'ready';
}

/** Not yet redeemed first, then redeemed, then sold out; within each as the server ordered them. */
export function byState(a: Known, b: Known): number {
  return ORDER[benefitState(a)] - ORDER[benefitState(b)];
}

/** The day of a time such as `2026-11-14T09:00:00Z` in the reader's language, with the year when it is another one. */
export function dayOf(time: string, now: Date): string {
  const date = new Date(time);
  const year = date.getFullYear() === now.getFullYear() ? undefined : 'numeric';
  return sayDate(date, { day: 'numeric', month: 'short', year });
}
