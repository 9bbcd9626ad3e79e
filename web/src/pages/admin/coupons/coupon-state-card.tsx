// Card with the state of a code: what the state means, who holds the code, and who took it back or made it void.
import type { CouponRecord } from '@portal/contract';
import { Card } from '../../../ui/card.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import { say } from '../../../words/say.ts';
import admin from '../admin.module.css';
import { Fact, FactLink, Facts } from '../facts.tsx';
import { sayReason, sayTimeAndActor } from '../log/line-words.ts';
import { personPath } from '../people/person-path.ts';
import styles from './coupon-state.module.css';
import { sayState } from './coupon-state.tsx';

export function CouponState({ coupon }: { coupon: CouponRecord }) {
  const { holder, assigned_at, revoked_at, voided_at } = coupon;
  const reason = coupon.revoke_reason ?? coupon.void_reason;
  const hasFacts = holder !== null || revoked_at !== null || voided_at !== null;
  return (
    <Card title={say('State: {state}', { state: sayState(coupon.state) })} className={admin.six}>
      <CardBody>
        <p className={styles.meaning}>{explainState(coupon)}</p>
        {hasFacts && (
          <Facts>
            {holder !== null && (
              <Fact label={coupon.state === 'held' ? say('Holder') : say('Former holder')}>
                <FactLink href={personPath(holder.user_id)}>{holder.name?.trim() || holder.email}</FactLink>
                {holder.name?.trim() && <span className={styles.address}>{holder.email}</span>}
              </Fact>
            )}
            {assigned_at !== null && (
              <Fact label={say('Assigned')}>{sayTimeAndActor(assigned_at, coupon.assigned_by)}</Fact>
            )}
            {revoked_at !== null && (
              <Fact label={say('Revoked')}>{sayTimeAndActor(revoked_at, coupon.revoked_by)}</Fact>
            )}
            {voided_at !== null && (
              <Fact label={say('Made void')}>{sayTimeAndActor(voided_at, coupon.voided_by)}</Fact>
            )}
            {reason !== null && (
              <Fact label={say('Reason')}>
                <bdi>{sayReason(reason)}</bdi>
              </Fact>
            )}
          </Facts>
        )}
      </CardBody>
    </Card>
  );
}

/** Returns a sentence that says what the state means for the holder, or for the next person who redeems. */
function explainState({ state, current }: Pick<CouponRecord, 'state' | 'current'>): string {
  if (state === 'free') return say('Nobody holds this code. It is in the pool of its product.');
  if (state === 'void') return say('Nobody holds this code. It will not be handed out.');
  if (state === 'expired')
    return say('Nobody holds this code, and its last day has come. It will not be handed out.');
  if (state === 'revoked') return say('The code was taken back. Its former holder does not see it any more.');
  return current
    ? say('The product page shows this code to its holder.')
    : say('Its holder has got another code of this product since. The product page shows the other code.');
}
