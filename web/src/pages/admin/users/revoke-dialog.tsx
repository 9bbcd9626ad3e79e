// Dialog that revokes a user's code. If `replace` is true, the user gets another code in its place (R-LIFE-15,
// R-LIFE-32).

import { revokeCoupon } from '@portal/contract';
import type { ReactNode } from 'react';
import { call } from '../../../api.ts';
import { say, sayAround, sayCount } from '../../../words/say.ts';
import { sayCode } from '../hidden-codes/say-code.ts';
import { tellSuccess } from '../refusal-toast.ts';
import { useStock } from '../use-stock.ts';
import type { AccessProduct, AccessUser, AssignedCoupon } from './access.ts';
import styles from './act-dialog.module.css';
import { ActDialog } from './act-dialog.tsx';
import { tellWarning } from './issue-coupon.ts';
import { useActForm } from './use-act-form.ts';

type RevokeDialogProps = {
  user: AccessUser;
  product: AccessProduct;
  coupon: AssignedCoupon;
  replace: boolean;
  onClose: () => void;
};

export function RevokeDialog({ user, product, coupon, replace, onClose }: RevokeDialogProps) {
  const form = useActForm({
    start: { reason: '' },
    email: user.email,
    send: ({ reason }) => call(revokeCoupon, { params: { id: coupon.id }, body: { reason, replace } }),
    failed: replace ? say('Failed to replace the code') : say('Failed to revoke the code'),
    onDone: ({ replacement, warning }) => {
      onClose();
      tellSuccess(
        replacement ? say('Code replaced: {code}', { code: sayCode(replacement) }) : say('Code revoked'),
      );
      if (warning !== undefined) tellWarning(warning);
    },
  });
  const names = {
    code: <span className={styles.code}>{sayCode(coupon)}</span>,
    who: <bdi>{user.name || user.email}</bdi>,
  };
  const title = replace ? say('Revoke and replace') : say('Revoke code');
  return (
    <ActDialog
      form={form}
      title={title}
      words={
        replace ? <Replacement names={names} product={product} /> : sayRevocation(names, coupon.has_earlier)
      }
      reason={form.field('reason')}
      example={replace ? say('Partner says the code was used up') : say('Code was shared publicly')}
      confirm={title}
      danger
      onClose={onClose}
      after={
        !replace && (
          <p className={styles.aside}>{say('The partner still accepts the code until it is told.')}</p>
        )
      }
    />
  );
}

type Names = { code: ReactNode; who: ReactNode };

function sayRevocation(names: Names, hasEarlier: boolean): ReactNode {
  if (hasEarlier)
    return sayAround(
      '{code} is taken from {who} and never handed out again. They see the code again that they got before.',
      names,
    );
  return sayAround(
    '{code} is taken from {who} and never handed out again. They see ‘Code withdrawn’ and get no other one by themselves.',
    names,
  );
}

function Replacement({ names, product }: { names: Names; product: AccessProduct }) {
  const left = useStock().countStatuses(product.product_id)?.available;
  return (
    <>
      {sayAround('{code} is taken from {who}, and they get another code of {product} at once.', {
        ...names,
        product: <bdi>{product.name}</bdi>,
      })}{' '}
      {left === 0 &&
        say('No code is left: the portal generates one. The partner must accept it before it works.')}
      {left !== undefined &&
        left > 0 &&
        sayCount(left, { one: '{count} is left.', other: '{count} are left.' })}
    </>
  );
}
