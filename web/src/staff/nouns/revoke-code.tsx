// The dialog that revokes a code which somebody holds, and replaces it if asked to (R-LIFE-15, R-LIFE-32, R-DAY-31).
import { REPLACE_REASONS, revokeCoupon } from '@portal/contract';
import type { ReactNode } from 'react';
import { call } from '../../api.ts';
import { classes } from '../../ui/dom.ts';
import { t, tCount, tNode } from '../../words/translate.ts';
import { checkReason, ReasonDialog, useDialogForm } from '../form.tsx';
import { formatCode, WHOLE_CODE } from './code.tsx';
import { useStock } from './stock.tsx';
import { formatNoneLeft } from './unknown-code.tsx';

type RevokeDialogProps = {
  /** Name or address of the holder. */
  who: string;
  product: { product_id: string; name: string };
  coupon: { id: string } & Parameters<typeof formatCode>[0];
  /** True if an earlier code becomes the holder's current code. Null if this is not known. */
  hasEarlier: boolean | null;
  /** True if the holder gets another code at once. */
  replaces: boolean;
  /** Called after the code was revoked, with the server's warning. The dialog is busy until the promise resolves. */
  onDone: (warning: string | undefined) => Promise<void>;
  onClose: () => void;
};

export function RevokeDialog({ who, product, coupon, replaces, ...props }: RevokeDialogProps) {
  const { hasEarlier, onDone, onClose } = props;
  const reasons = replaces ? listReasons() : undefined;
  const form = useDialogForm({
    start: { reason: '' },
    check: (values) => checkReason(values),
    send: ({ reason }) =>
      call(revokeCoupon, { params: { id: coupon.id }, body: { reason, replace: replaces } }),
    failed: replaces ? t('Failed to replace the code') : t('Failed to revoke the code'),
    onDone: ({ warning }) => onDone(warning),
    done: ({ replacement }) =>
      replacement ? t('Code replaced: {code}', { code: formatCode(replacement) }) : t('Code revoked'),
    changes: ['coupons', 'users'],
  });
  const names = {
    code: <span className={classes(WHOLE_CODE, 'text-ink')}>{formatCode(coupon)}</span>,
    who: <bdi>{who}</bdi>,
  };
  const title = replaces ? t('Replace code') : t('Revoke code');
  return (
    <ReasonDialog
      form={form}
      reasons={reasons}
      title={title}
      words={replaces ? <Replacement names={names} product={product} /> : formatRevocation(names, hasEarlier)}
      example={replaces ? t('Partner says the code was used up') : t('Code was shared publicly')}
      confirm={title}
      danger
      onCancel={onClose}
      after={
        !replaces && (
          <p className="text-sm text-ink-2">{t('The partner still accepts the code until it is told.')}</p>
        )
      }
    />
  );
}

function listReasons() {
  const labels = [t('Does not work'), t('Expired'), t('Used by somebody else')];
  return REPLACE_REASONS.map((value, at) => ({ value, label: labels[at] ?? value }));
}

type Names = { code: ReactNode; who: ReactNode };

function formatRevocation(names: Names, hasEarlier: boolean | null): ReactNode {
  if (hasEarlier === null) return tNode('{code} is taken from {who} and never handed out again.', names);
  if (hasEarlier)
    return tNode(
      '{code} is taken from {who} and never handed out again. They see the code again that they got before.',
      names,
    );
  return tNode(
    '{code} is taken from {who} and never handed out again. They see ‘Code withdrawn’ and get no other one by themselves.',
    names,
  );
}

function Replacement({ names, product }: { names: Names; product: RevokeDialogProps['product'] }) {
  const left = useStock().countStatuses(product.product_id)?.available;
  return (
    <>
      {tNode('{code} is taken from {who}, and they get another code of {product} at once.', {
        ...names,
        product: <bdi>{product.name}</bdi>,
      })}{' '}
      {left === 0 && formatNoneLeft()}
      {left !== undefined &&
        left > 0 &&
        tCount(left, { one: '{count} is left.', other: '{count} are left.' })}
    </>
  );
}
