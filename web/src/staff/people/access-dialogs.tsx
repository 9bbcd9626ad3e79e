// The dialogs of the access card: changing the dates, removing the access, and revoking the code (R-LIFE-14, R-LIFE-15,
// R-LIFE-32).
import { editGrant, type Grant, revokeCoupon, withdrawGrant } from '@portal/contract';
import type { ReactNode } from 'react';
import { call } from '../../api.ts';
import { queryClient } from '../../queries.ts';
import { RadioGroup } from '../../ui/choice.tsx';
import { classes } from '../../ui/dom.ts';
import { Check, DateField } from '../../ui/field.tsx';
import { sayDay } from '../../words/format.ts';
import { say, sayAround, sayCount } from '../../words/say.ts';
import { sayNewerDates } from '../action.tsx';
import { checkReason, ReasonDialog, useDialogForm } from '../form.tsx';
import { sayCode, WHOLE_CODE } from '../nouns/code.tsx';
import { checkDays } from '../nouns/cohort.tsx';
import { useStock } from '../nouns/stock.tsx';
import { toastWarning } from './access-item.tsx';
import {
  type AccessProduct,
  type AccessUser,
  type AssignedCoupon,
  accessOf,
  type DialogAct,
  findNextStart,
  formatValid,
  listGrantsFor,
} from './access-words.ts';

const CHANGES = ['coupons', 'users'] as const;

/** Closes a dialog after the access card has loaded the new state: then the product may be in the other list. */
async function close({ email }: AccessUser, onClose: () => void, warning?: string): Promise<void> {
  await queryClient.refetchQueries({ queryKey: accessOf(email).queryKey }, { cancelRefetch: false });
  onClose();
  if (warning !== undefined) toastWarning(warning);
}

type DialogProps = { user: AccessUser; product: AccessProduct; onClose: () => void };
type GrantsDialogProps = DialogProps & { grants: readonly [Grant, ...Grant[]] };

/** The act must be possible, see `isPossible`. */
export function AccessDialog({ act, ...props }: DialogProps & { act: DialogAct }) {
  const { coupon, grants } = props.product;
  if (act === 'revoke' || act === 'replace')
    return coupon?.state === 'held' ? (
      <RevokeDialog {...props} coupon={coupon} replace={act === 'replace'} />
    ) : null;
  const [first, ...others] = listGrantsFor(act, grants);
  const Asked = act === 'dates' ? DatesDialog : RemoveDialog;
  return first ? <Asked {...props} grants={[first, ...others]} /> : null;
}

function DatesDialog({ user, product, grants, onClose }: GrantsDialogProps) {
  const form = useDialogForm({
    start: { ...daysOf(grants[0]), reason: '' },
    check: (values) => ({ ...checkDays(values), ...checkReason(values, !endsEarlier(values)) }),
    send: ({ id, starts_on, ends_on, reason, was }) =>
      call(editGrant, {
        params: { id },
        body: { starts_on, ends_on: ends_on || null, reason: reason || null, was },
      }),
    failed: say('Failed to change the dates'),
    onConflict: async () => {
      const { products } = await queryClient.fetchQuery({ ...accessOf(user.email), staleTime: 0 });
      const newer = products.flatMap((each) => each.grants).find((grant) => grant.id === form.values.id);
      if (newer) form.reset({ ...daysOf(newer), reason: form.values.reason });
    },
    conflict: sayNewerDates(),
    onDone: () => close(user, onClose),
    done: say('Dates changed'),
    changes: CHANGES,
  });
  const { id, starts_on, ends_on, reason } = form.values;
  const chosen = grants.find((grant) => grant.id === id);
  return (
    <ReasonDialog
      form={form}
      title={say('Change dates')}
      words={sayAround('Access of {who} to {product}.', {
        who: <bdi>{user.name || user.email}</bdi>,
        product: chosen?.product_id === null ? say('all products') : <bdi>{product.name}</bdi>,
      })}
      isReasonOptional={!endsEarlier(form.values)}
      example={say('Course was extended')}
      confirm={say('Save Dates')}
      onCancel={onClose}
    >
      <GrantChoice
        grants={grants}
        value={id}
        onChange={(grant) => form.reset({ ...daysOf(grant), reason })}
      />
      <div className="grid grid-cols-[repeat(auto-fit,minmax(9.25rem,1fr))] gap-x-3 gap-y-4">
        <DateField {...form.field('starts_on')} label={say('From')} required max={ends_on} />
        <DateField
          {...form.field('ends_on')}
          label={say('Until')}
          hint={say('Last day. Empty: no end.')}
          min={starts_on}
        />
      </div>
    </ReasonDialog>
  );
}

/**
 * Returns the form values for a grant. `ends_on` is '' if the grant has no last day. `was` keeps the days of the grant.
 */
function daysOf({ id, starts_on, ends_on }: Grant) {
  return { id, starts_on, ends_on: ends_on ?? '', was: { starts_on, ends_on } };
}

/** True if the access ends on an earlier day than before: only then a reason is required (N-98). */
function endsEarlier({ ends_on, was }: Pick<ReturnType<typeof daysOf>, 'ends_on' | 'was'>): boolean {
  return ends_on !== '' && (was.ends_on === null || ends_on < was.ends_on);
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
    failed: say('Failed to remove the access'),
    onDone: ({ kept }) => close(user, onClose, kept),
    done: say('Access removed'),
    changes: CHANGES,
  });
  const { id } = form.values;
  return (
    <ReasonDialog
      form={form}
      title={say('Remove access')}
      words={formatLoss(id, user, product)}
      example={say('Left the course')}
      confirm={say('Remove access')}
      danger
      onCancel={onClose}
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
    </ReasonDialog>
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
function formatLoss(id: string, user: AccessUser, product: AccessProduct): ReactNode {
  const names = { who: <bdi>{user.name || user.email}</bdi>, product: <bdi>{product.name}</bdi> };
  const { isLive, nextStart } = findRest(id, product);
  const rest = isLive
    ? sayAround('{who} keeps the other access to {product}.', names)
    : nextStart &&
      sayAround('{who} cannot redeem {product} until {day}, when the other access begins.', {
        ...names,
        day: sayDay(nextStart),
      });
  if (product.grants.find((grant) => grant.id === id)?.product_id !== null)
    return rest ?? sayAround('{who} can no longer redeem {product}.', names);
  return (
    <>
      {sayAround('This ends the access of {who} to all products, not only to {product}.', names)} {rest}
    </>
  );
}

type RevokeDialogProps = DialogProps & {
  coupon: AssignedCoupon;
  /** True if the user gets another code in its place. */
  replace: boolean;
};

function RevokeDialog({ user, product, coupon, replace, onClose }: RevokeDialogProps) {
  const form = useDialogForm({
    start: { reason: '' },
    check: (values) => checkReason(values),
    send: ({ reason }) => call(revokeCoupon, { params: { id: coupon.id }, body: { reason, replace } }),
    failed: replace ? say('Failed to replace the code') : say('Failed to revoke the code'),
    onDone: ({ warning }) => close(user, onClose, warning),
    done: ({ replacement }) =>
      replacement ? say('Code replaced: {code}', { code: sayCode(replacement) }) : say('Code revoked'),
    changes: CHANGES,
  });
  const names = {
    code: <span className={classes(WHOLE_CODE, 'text-ink')}>{sayCode(coupon)}</span>,
    who: <bdi>{user.name || user.email}</bdi>,
  };
  const title = replace ? say('Revoke and replace') : say('Revoke code');
  return (
    <ReasonDialog
      form={form}
      title={title}
      words={
        replace ? (
          <Replacement names={names} product={product} />
        ) : (
          formatRevocation(names, coupon.has_earlier)
        )
      }
      example={replace ? say('Partner says the code was used up') : say('Code was shared publicly')}
      confirm={title}
      danger
      onCancel={onClose}
      after={
        !replace && (
          <p className="text-sm text-ink-2">{say('The partner still accepts the code until it is told.')}</p>
        )
      }
    />
  );
}

type Names = { code: ReactNode; who: ReactNode };

function formatRevocation(names: Names, hasEarlier: boolean): ReactNode {
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

type GrantChoiceProps = { grants: readonly Grant[]; value: string; onChange: (grant: Grant) => void };

/** Nothing if there is only one grant (N-97). */
function GrantChoice({ grants, value, onChange }: GrantChoiceProps) {
  if (grants.length < 2) return null;
  const options = grants.map((grant) => ({
    value: grant.id,
    label: (
      <>
        <bdi>{grant.product_name ?? say('All products')}</bdi>
        <small className="text-sm block text-ink-3">
          {formatValid({ from: grant.starts_on, until: grant.ends_on })}
        </small>
        <small className="text-sm block text-ink-3">{say('Given by {who}', { who: grant.granted_by })}</small>
      </>
    ),
  }));
  const choose = (id: string) => {
    const chosen = grants.find((grant) => grant.id === id);
    if (chosen) onChange(chosen);
  };
  return <RadioGroup label={say('Which access?')} value={value} options={options} onChange={choose} />;
}
