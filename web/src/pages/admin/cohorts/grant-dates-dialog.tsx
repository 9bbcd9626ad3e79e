// Dialog that changes the days of one product of a cohort (R-COHORT-22).
import type { CohortRecord } from '@portal/contract';
import { editGrant, getCohort } from '@portal/contract';
import { useState } from 'react';
import { call } from '../../../api.ts';
import { queryClient, queryOf } from '../../../queries.ts';
import { isolate } from '../../../ui/isolate.ts';
import { say } from '../../../words/say.ts';
import { NewerValues, useNewerValues } from '../newer-values.tsx';
import { sayMorePeople, sayWhom } from '../people-acts/people-words.ts';
import { CountChanged } from '../uploads/count-changed.tsx';
import { ActDialog } from '../users/act-dialog.tsx';
import { checkReason } from '../users/use-act-form.ts';
import { AccessDays, checkDays } from './access-days.tsx';
import { type CohortGrant, endsEarlier, nameOf } from './cohort-grant.ts';
import { useCohortAct } from './use-cohort-act.ts';

type GrantDatesDialogProps = { cohort: CohortRecord; grant: CohortGrant; onClose: () => void };

export function GrantDatesDialog({ cohort, grant: shown, onClose }: GrantDatesDialogProps) {
  // The grant as the fields have begun with it.
  const [grant, setGrant] = useState(shown);
  const { isNewer, onConflict } = useNewerValues(async () => {
    const query = queryOf(getCohort, { id: cohort.cohort_id });
    const { grants } = await queryClient.fetchQuery({ ...query, staleTime: 0 });
    const newer = grants.find(({ id }) => id === grant.id);
    if (!newer) return;
    setGrant(newer);
    form.reset({ ...daysOf(newer), reason: form.values.reason });
  });
  const form = useCohortAct({
    start: { ...daysOf(grant), reason: '' },
    members: cohort.members,
    check: (values) => ({ ...checkDays(values), ...checkReason(values, !endsEarlier(grant, values)) }),
    send: async ({ starts_on, ends_on, reason }, expected) => {
      const was = { starts_on: grant.starts_on, ends_on: grant.ends_on };
      const body = { starts_on, ends_on: ends_on || null, reason: reason || null, expected, was };
      await call(editGrant, { params: { id: grant.id }, body });
      return say('Dates changed');
    },
    failed: say('Failed to change the dates'),
    onConflict,
    onClose,
  });
  const { count, before } = form;
  return (
    <ActDialog
      form={form}
      title={say('Change dates of {product}', { product: isolate(nameOf(grant)) })}
      words={sayWhom(count, grant.holding)}
      reason={form.field('reason')}
      isReasonOptional={!endsEarlier(grant, form.values)}
      example={say('Course was extended')}
      confirm={say('Save Dates')}
      asked={before}
      onClose={onClose}
    >
      <CountChanged now={count} before={before} sayChange={sayMorePeople} />
      <NewerValues isShown={isNewer} />
      <AccessDays form={form} />
    </ActDialog>
  );
}

function daysOf({ starts_on, ends_on }: CohortGrant) {
  return { starts_on, ends_on: ends_on ?? '' };
}
