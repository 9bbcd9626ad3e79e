// Dialog that changes the first and the last day of a grant (R-LIFE-14, R-LIFE-32).
import type { Grant } from '@portal/contract';
import { editGrant } from '@portal/contract';
import { call } from '../../../api.ts';
import { queryClient } from '../../../queries.ts';
import { DateField } from '../../../ui/date-field.tsx';
import { say, sayAround } from '../../../words/say.ts';
import { checkDays } from '../cohorts/access-days.tsx';
import { NewerValues, useNewerValues } from '../newer-values.tsx';
import { tellSuccess } from '../refusal-toast.ts';
import { type AccessProduct, type AccessUser, accessOf } from './access.ts';
import styles from './act-dialog.module.css';
import { ActDialog } from './act-dialog.tsx';
import { GrantChoice } from './grant-choice.tsx';
import { useActForm } from './use-act-form.ts';

type DatesDialogProps = {
  user: AccessUser;
  product: AccessProduct;
  grants: readonly [Grant, ...Grant[]];
  onClose: () => void;
};

export function DatesDialog({ user, product, grants, onClose }: DatesDialogProps) {
  const { isNewer, onConflict } = useNewerValues(async () => {
    const { products } = await queryClient.fetchQuery({ ...accessOf(user.email), staleTime: 0 });
    const newer = products.flatMap((each) => each.grants).find((grant) => grant.id === form.values.id);
    if (newer) form.reset({ ...daysOf(newer), reason: form.values.reason });
  });
  const form = useActForm({
    start: { ...daysOf(grants[0]), reason: '' },
    email: user.email,
    isReasonOptional: (values) => !endsEarlier(values),
    check: checkDays,
    send: ({ id, starts_on, ends_on, reason, was }) =>
      call(editGrant, {
        params: { id },
        body: { starts_on, ends_on: ends_on || null, reason: reason || null, was },
      }),
    failed: say('Failed to change the dates'),
    onConflict,
    onDone: () => {
      onClose();
      tellSuccess(say('Dates changed'));
    },
  });
  const { id, starts_on, ends_on, reason } = form.values;
  const chosen = grants.find((grant) => grant.id === id);
  return (
    <ActDialog
      form={form}
      title={say('Change dates')}
      words={sayAround('Access of {who} to {product}.', {
        who: <bdi>{user.name || user.email}</bdi>,
        product: chosen?.product_id === null ? say('all products') : <bdi>{product.name}</bdi>,
      })}
      reason={form.field('reason')}
      isReasonOptional={!endsEarlier(form.values)}
      example={say('Course was extended')}
      confirm={say('Save Dates')}
      onClose={onClose}
    >
      <NewerValues isShown={isNewer} />
      <GrantChoice
        grants={grants}
        value={id}
        onChange={(grant) => form.reset({ ...daysOf(grant), reason })}
      />
      <div className={styles.days}>
        <DateField {...form.field('starts_on')} label={say('From')} required max={ends_on} />
        <DateField
          {...form.field('ends_on')}
          label={say('Until')}
          hint={say('Last day. Empty: no end.')}
          min={starts_on}
        />
      </div>
    </ActDialog>
  );
}

/** Returns the form values for a grant. `ends_on` is '' if the grant has no last day. `was` keeps the days of the grant. */
function daysOf({ id, starts_on, ends_on }: Grant) {
  return { id, starts_on, ends_on: ends_on ?? '', was: { starts_on, ends_on } };
}

/** True if the access ends on an earlier day than before: only then a reason is required (N-98). */
function endsEarlier({ ends_on, was }: Pick<ReturnType<typeof daysOf>, 'ends_on' | 'was'>): boolean {
  return ends_on !== '' && (was.ends_on === null || ends_on < was.ends_on);
}
