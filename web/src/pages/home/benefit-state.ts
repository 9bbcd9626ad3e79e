// The state of a product for a learner, and the order of the cards on the home page.
import type { MyProduct, MyProductState } from '@portal/contract';
import { daysLeft } from '../../words/days.ts';

/**
 * A state from the server, or `expired`, which only the browser computes: the last day of the learner's code has
 * passed.
 */
export type BenefitState = MyProductState | 'expired';

type Known = Pick<MyProduct, 'state' | 'use_by'>;

/**
 * The look of a card in each state. The order of these states is the order of the cards on the home page (R-LIFE-35).
 */
export const LOOKS = {
  ready: 'ready',
  issued: 'issued',
  not_yet: 'later',
  paused: 'later',
  sold_out: 'spent',
  expired: 'spent',
  revoked: 'spent',
} satisfies Record<BenefitState, string>;
const ORDER = Object.keys(LOOKS);

export function benefitState({ state, use_by }: Known, now: Date): BenefitState {
  return state === 'issued' && use_by && daysLeft(use_by, now) < 0 ? 'expired' : state;
}

/** Returns the products in the order of the cards. Products in the same state keep the order of the server. */
export function sortByState<Of extends Known>(products: readonly Of[], now: Date): Of[] {
  const place = (product: Of) => ORDER.indexOf(benefitState(product, now));
  return products.toSorted((a, b) => place(a) - place(b));
}
