// The state of a code: a mark and a word. In tables, the word leads to the page of the code.
import type { CouponState, ListedCoupon } from '@portal/contract';
import { Link } from 'wouter';
import { type StateLook, StateMark } from '../../../ui/state-mark.tsx';
import { say } from '../../../words/say.ts';
import admin from '../admin.module.css';
import { type MaybeHidden, speakCode } from '../hidden-codes/say-code.ts';
import { couponPath } from './list-coupon-tabs.ts';

/** Returns the word for a state (R-ACPN-26, A-31, R-LIFE-34, R-DAY-20). */
export function sayState(state: CouponState): string {
  if (state === 'held') return say('Assigned');
  if (state === 'revoked') return say('Revoked');
  if (state === 'expired') return say('Expired');
  return state === 'void' ? say('Void') : say('Available');
}

const LOOKS: Record<CouponState, StateLook> = {
  free: 'ring',
  held: 'accent',
  revoked: 'crossed',
  void: 'faint',
  expired: 'faint',
};

export function CodeState({ state }: Pick<ListedCoupon, 'state'>) {
  return <StateMark look={LOOKS[state]}>{sayState(state)}</StateMark>;
}

/** Screen readers also read the code: a table has many links with the same word. */
export function StateLink({ coupon }: { coupon: Pick<ListedCoupon, 'id' | 'state'> & MaybeHidden }) {
  const { id, state } = coupon;
  return (
    <Link
      href={couponPath(id)}
      className={admin.rowLink}
      aria-label={say('{state}: {code}', { state: sayState(state), code: speakCode(coupon) })}
    >
      <CodeState state={state} />
    </Link>
  );
}
