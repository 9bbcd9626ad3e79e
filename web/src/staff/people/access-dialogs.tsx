// The dialogs of the access card: changing the dates, removing the access, and the question before the portal makes a code
// (R-LIFE-14, R-LIFE-15, R-LIFE-32, R-DAY-33).
import { editGrant, type Grant, importCoupons, withdrawGrant } from '@portal/contract';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { call } from '../../api.ts';
import { queryClient } from '../../queries.ts';
import { buttonClass } from '../../ui/button.tsx';
import { RadioGroup } from '../../ui/choice.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Check } from '../../ui/field.tsx';
import { t, tNode } from '../../words/translate.ts';
import { formatNewerDates, toastWarning } from '../action.tsx';
import { checkReason, ReasonDialog, useDialogForm } from '../form.tsx';
import { AccessDays, checkDays, daysOf, endsEarlier } from '../nouns/cohort.tsx';
import { addCodesPath } from '../nouns/product.tsx';
import { RevokeDialog } from '../nouns/revoke-code.tsx';
import { RoleGate } from '../role.tsx';
import { formatDay } from '../time.ts';
import type { AccessAction, AccessProduct, AccessUser } from './access-words.ts';
import { accessOf, findNextStart, formatValid, listGrantsFor } from './access-words.ts';

const CHANGES = ['coupons', 'users'] as const;

/** Closes a dialog after the access card has loaded the new state. */
async function close({ email }: AccessUser, onClose: () => void, warning?: string): Promise<void> {
  await queryClient.refetchQueries({ queryKey: accessOf(email).queryKey }, { cancelRefetch: false });
  onClose();
  if (warning !== undefined) toastWarning(warning);
}

type DialogProps = { user: AccessUser; product: AccessProduct; onClose: () => void };
type GrantsDialogProps = DialogProps & { grants: readonly [Grant, ...Grant[]] };

/** The action must be possible, see `isPossible`. */
export function AccessDialog({ action, ...props }: DialogProps & { action: AccessAction }) {
  const { coupon, grants } = props.product;
  if (action === 'revoke' || action === 'replace')
    return coupon?.state === 'held' ? (
      <RevokeDialog
        who={props.user.name || props.user.email}
        product={props.product}
        coupon={coupon}
        hasEarlier={coupon.has_earlier}
        replaces={action === 'replace'}
        onDone={(warning) => close(props.user, props.onClose, warning)}
        onClose={props.onClose}
      />
    ) : null;
  const [first, ...others] = listGrantsFor(action, grants);
  const Asked = action === 'dates' ? DatesDialog : RemoveDialog;
  return first ? <Asked {...props} grants={[first, ...others]} /> : null;
}

function DatesDialog({ user, product, grants, onClose }: GrantsDialogProps) {
  const form = useDialogForm({
    start: { id: grants[0].id, ...daysOf(grants[0]), reason: '' },
    check: (values) => ({ ...checkDays(values), ...checkReason(values, !endsEarlier(values.was, values)) }),
    send: ({ id, starts_on, ends_on, reason, was }) =>
      call(editGrant, {
        params: { id },
        body: { starts_on, ends_on: ends_on || null, reason: reason || null, was },
      }),
    failed: t('Failed to change the dates'),
    onConflict: async () => {
      const { products } = await queryClient.fetchQuery({ ...accessOf(user.email), staleTime: 0 });
      const newer = products.flatMap((each) => each.grants).find((grant) => grant.id === form.values.id);
      if (newer) form.reset({ ...form.values, ...daysOf(newer) });
    },
    conflict: formatNewerDates(),
    onDone: () => close(user, onClose),
    done: t('Dates changed'),
    changes: CHANGES,
  });
  const { id, reason } = form.values;
  const chosen = grants.find((grant) => grant.id === id);
  return (
    <ReasonDialog
      form={form}
      title={t('Change dates')}
      words={tNode('Access of {who} to {product}.', {
        who: <bdi>{user.name || user.email}</bdi>,
        product: chosen?.product_id === null ? t('all products') : <bdi>{product.name}</bdi>,
      })}
      isReasonOptional={!endsEarlier(form.values.was, form.values)}
      example={t('Course was extended')}
      confirm={t('Save Dates')}
      onCancel={onClose}
    >
      <GrantChoice
        grants={grants}
        value={id}
        onChange={(grant) => form.reset({ id: grant.id, ...daysOf(grant), reason })}
      />
      <AccessDays form={form} from={t('From')} until={t('Until')} />
    </ReasonDialog>
  );
}

function RemoveDialog({ user, product, grants, onClose }: GrantsDialogProps) {
  const form = useDialogForm({
    start: { id: grants[0].id, reason: '', revoke_code: false },
    check: (values) => checkReason(values),
    send: ({ id, reason, revoke_code }) =>
      call(withdrawGrant, {
        params: { id },
        body: { reason, revoke_code: revoke_code && canRevoke(id, product) },
      }),
    failed: t('Failed to remove the access'),
    onDone: ({ kept }) => close(user, onClose, kept),
    done: t('Access removed'),
    changes: CHANGES,
  });
  const { id } = form.values;
  return (
    <ReasonDialog
      form={form}
      title={t('Remove access')}
      words={formatLoss(id, user, product)}
      example={t('Left the course')}
      confirm={t('Remove access')}
      danger
      onCancel={onClose}
      after={
        canRevoke(id, product) && (
          <Check
            {...form.field('revoke_code')}
            label={t('Also revoke the code')}
            hint={t('Without this they keep seeing the code they hold.')}
          />
        )
      }
    >
      <GrantChoice grants={grants} value={id} onChange={(grant) => form.field('id').onChange(grant.id)} />
    </ReasonDialog>
  );
}

/** What the user's grants give without the grant `id`: access today, and the day on which the next one begins, or null. */
function findRest(id: string, { grants }: AccessProduct) {
  const others = grants.filter((grant) => grant.id !== id);
  return { isLive: others.some(({ state }) => state === 'live'), nextStart: findNextStart(others) };
}

/**
 * True if the code can be revoked together with the grant `id` (N-62): not a shared code, not with a grant of all
 * products, and not if another grant gives access today.
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
function formatLoss(id: string, user: AccessUser, product: AccessProduct): ReactNode {
  const names = { who: <bdi>{user.name || user.email}</bdi>, product: <bdi>{product.name}</bdi> };
  const { isLive, nextStart } = findRest(id, product);
  const rest = isLive
    ? tNode('{who} keeps the other access to {product}.', names)
    : nextStart &&
      tNode('{who} cannot redeem {product} until {day}, when the other access begins.', {
        ...names,
        day: formatDay(nextStart),
      });
  if (product.grants.find((grant) => grant.id === id)?.product_id !== null)
    return rest ?? tNode('{who} can no longer redeem {product}.', names);
  return (
    <>
      {tNode('This ends the access of {who} to all products, not only to {product}.', names)} {rest}
    </>
  );
}

type GrantChoiceProps = { grants: readonly Grant[]; value: string; onChange: (grant: Grant) => void };

/** Renders nothing if there is only one grant (N-97). */
function GrantChoice({ grants, value, onChange }: GrantChoiceProps) {
  if (grants.length < 2) return null;
  const options = grants.map((grant) => ({
    value: grant.id,
    label: (
      <>
        <bdi>{grant.product_name ?? t('All products')}</bdi>
        <small className="text-sm block text-ink-3">
          {formatValid({ from: grant.starts_on, until: grant.ends_on })}
        </small>
        <small className="text-sm block text-ink-3">{t('Given by {who}', { who: grant.granted_by })}</small>
      </>
    ),
  }));
  const choose = (id: string) => {
    const chosen = grants.find((grant) => grant.id === id);
    if (chosen) onChange(chosen);
  };
  return <RadioGroup label={t('Which access?')} value={value} options={options} onChange={choose} />;
}

type GenerateDialogProps = { product: AccessProduct; onCancel: () => void; onConfirm: () => void };

/** Asks before the portal makes a code, which works only after staff gave it to the partner (R-DAY-33). */
export function GenerateDialog({ product: { product_id }, onCancel, onConfirm }: GenerateDialogProps) {
  return (
    <ConfirmDialog
      title={t('No code is left')}
      words={t(
        'No code of the partner is left. Generate a code? The partner does not know it: it works only after you give it to them.',
      )}
      confirm={t('Generate')}
      other={
        <RoleGate to={importCoupons}>
          <Link href={addCodesPath(product_id)} className={buttonClass({})}>
            {t('Add codes')}
          </Link>
        </RoleGate>
      }
      onCancel={onCancel}
      onConfirm={onConfirm}
    />
  );
}
