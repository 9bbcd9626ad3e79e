// The state of a product for a learner, and the order of the cards.
import type { MyProduct } from '@portal/contract';
import { sayDate } from '../../words/format.ts';

export type BenefitState = 'ready' | 'issued' | 'soldout';

type Known = Pick<MyProduct, 'assigned_at' | 'sold_out'>;

const ORDER: Record<BenefitState, number> = { ready: 0, issued: 1, soldout: 2 };

/** Returns `issued` if the learner has a code, also if the product is sold out for others. */
export function benefitState({ assigned_at, sold_out }: Known): BenefitState {
  if (assigned_at) return 'issued';
  return sold_out ? 'soldout' : 'ready';
}

/** Sort order: not yet redeemed, redeemed, sold out. Within a state the server's order is kept. */
export function byState(a: Known, b: Known): number {
  return ORDER[benefitState(a)] - ORDER[benefitState(b)];
}

/** Formats the day of an ISO time in the current locale, with the year unless it is the current year. */
export function dayOf(time: string, now: Date): string {
  const date = new Date(time);
  const year = date.getFullYear() === now.getFullYear() ? undefined : 'numeric';
  return sayDate(date, { day: 'numeric', month: 'short', year });
}
