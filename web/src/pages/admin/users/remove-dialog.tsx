// Dialog that withdraws a grant. With a checkbox, staff can also revoke the user's code (R-LIFE-14, R-LIFE-32).
import type { Grant } from '@portal/contract';
import { withdrawGrant } from '@portal/contract';
import type { ReactNode } from 'react';
import { call } from '../../../api.ts';
import { Check } from '../../../ui/check.tsx';
import { sayDay } from '../../../words/days.ts';
import { say, sayAround } from '../../../words/say.ts';
import { tellSuccess } from '../refusal-toast.ts';
import { type AccessProduct, type AccessUser, findNextStart } from './access.ts';
import { ActDialog } from './act-dialog.tsx';
import { GrantChoice } from './grant-choice.tsx';
import { tellWarning } from './issue-coupon.ts';
import { useActForm } from './use-act-form.ts';

type RemoveDialogProps = {
  user: AccessUser;
  product: AccessProduct;
  grants: readonly [Grant, ...Grant[]];
  onClose: () => void;
};

export function RemoveDialog({ user, product, grants, onClose }: RemoveDialogProps) {
  const form = useActForm({
    start: { id: grants[0].id, reason: '', revoke_code: false },
    email: user.email,
    send: ({ id, reason, revoke_code }) =>
      call(withdrawGrant, {
        params: { id },
        body: { reason, revoke_code: revoke_code && canRevoke(id, product) },
      }),
    failed: say('Failed to remove the access'),
    onDone: ({ kept }) => {
      onClose();
      tellSuccess(say('Access removed'));
      if (kept !== undefined) tellWarning(kept);
    },
  });
  const { id } = form.values;
  return (
    <ActDialog
      form={form}
      title={say('Remove access')}
      words={sayLoss(id, user, product)}
      reason={form.field('reason')}
      example={say('Left the course')}
      confirm={say('Remove access')}
      danger
      onClose={onClose}
      after={
        canRevoke(id, product) && (
          <Check
            {...form.field('revoke_code')}
            label={say('Also revoke the code')}
            hint={say('Without this the learner keeps seeing the code they hold.')}
          />
        )
      }
    >
      <GrantChoice grants={grants} value={id} onChange={(grant) => form.field('id').onChange(grant.id)} />
    </ActDialog>
  );
}

/**
 * Returns what the user's other grants give without the grant `id`: `isLive` is true if one of them gives access today,
 * `nextStart` is the day on which the next of them begins, or null.
 */
function findRest(id: string, { grants }: AccessProduct) {
  const others = grants.filter((grant) => grant.id !== id);
  return { isLive: others.some(({ state }) => state === 'live'), nextStart: findNextStart(others) };
}

/**
 * True if the code can be revoked together with the grant `id` (N-62). The server refuses this for a grant of all
 * products. The server never revokes a shared code in this way, or a code for which another grant gives access today.
 */
function canRevoke(id: string, product: AccessProduct): boolean {
  const grant = product.grants.find((each) => each.id === id);
  return (
    product.coupon?.state === 'held' &&
    !product.shared_coupon &&
    grant?.product_id !== null &&
    !findRest(id, product).isLive
  );
}

/** Returns what the user loses and, if another grant gives access to the product, what stays. */
function sayLoss(id: string, user: AccessUser, product: AccessProduct): ReactNode {
  const names = { who: <bdi>{user.name || user.email}</bdi>, product: <bdi>{product.name}</bdi> };
  const rest = sayRest(findRest(id, product), names);
  if (product.grants.find((grant) => grant.id === id)?.product_id !== null)
    return rest ?? sayAround('{who} can no longer redeem {product}.', names);
  return (
    <>
      {sayAround('This ends the access of {who} to all products, not only to {product}.', names)} {rest}
    </>
  );
}

function sayRest(
  { isLive, nextStart }: ReturnType<typeof findRest>,
  names: { who: ReactNode; product: ReactNode },
): ReactNode {
  if (isLive) return sayAround('{who} keeps the other access to {product}.', names);
  if (nextStart === null) return null;
  return sayAround('{who} cannot redeem {product} until {day}, when the other access begins.', {
    ...names,
    day: sayDay(nextStart),
  });
}
