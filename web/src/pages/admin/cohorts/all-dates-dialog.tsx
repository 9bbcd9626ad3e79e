// Dialog that sets the days of all products of a cohort that are not over (R-COHORT-12, N-96).
import type { CohortRecord } from '@portal/contract';
import { getCohort, setCohortDates } from '@portal/contract';
import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../../api.ts';
import { queryClient, queryOf } from '../../../queries.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { say, sayCount } from '../../../words/say.ts';
import { NewerValues, useNewerValues } from '../newer-values.tsx';
import { sayMorePeople, sayWhom } from '../people-acts/people-words.ts';
import { CountChanged } from '../uploads/count-changed.tsx';
import { AccessDays, checkDays } from './access-days.tsx';
import { endsEarlier, findUsualDays, isDatable } from './cohort-grant.ts';
import { useCohortAct } from './use-cohort-act.ts';

type AllDatesDialogProps = { cohort: CohortRecord; onClose: () => void };

export function AllDatesDialog({ cohort, onClose }: AllDatesDialogProps) {
  const { cohort_id: id, members, holding } = cohort;
  // The grants as the fields have begun with them.
  const [grants, setGrants] = useState(cohort.grants.filter(isDatable));
  const { isNewer, onConflict } = useNewerValues(async () => {
    const now = await queryClient.fetchQuery({ ...queryOf(getCohort, { id }), staleTime: 0 });
    const newer = now.grants.filter(isDatable);
    setGrants(newer);
    form.reset(findUsualDays(newer));
  });
  const form = useCohortAct({
    start: findUsualDays(grants),
    members,
    check: checkDays,
    send: async ({ starts_on, ends_on }, expected) => {
      const was = grants.map((grant) => ({
        id: grant.id,
        starts_on: grant.starts_on,
        ends_on: grant.ends_on,
      }));
      const body = { starts_on, ends_on: ends_on || null, expected, was };
      const { changed } = await call(setCohortDates, { params: { id }, body });
      return sayCount(changed, {
        one: 'Dates of {count} product changed',
        other: 'Dates of {count} products changed',
      });
    },
    failed: say('Failed to change the dates'),
    onConflict,
    onClose,
  });
  const { count, before, isOff, busy, props } = form;
  const given = sayCount(grants.length, {
    one: '{count} product gets these dates.',
    other: '{count} products get these dates.',
  });
  const earlier = grants.filter((grant) => endsEarlier(grant, form.values)).length;
  return (
    <ConfirmDialog
      title={say('Change all dates')}
      words={`${given} ${sayWhom(count, holding)}`}
      confirm={sayCount(grants.length, {
        one: 'Change dates of {count} product',
        other: 'Change dates of {count} products',
      })}
      busy={busy}
      isOff={isOff}
      asked={before}
      formRef={props.ref}
      onCancel={onClose}
      onConfirm={props.onSubmit}
    >
      <CountChanged now={count} before={before} sayChange={sayMorePeople} />
      <NewerValues isShown={isNewer} />
      <AccessDays form={form} />
      <div role="status">
        {earlier > 0 && (
          <Notice icon={TriangleAlert} warning>
            {sayCount(earlier, {
              one: '{count} product ends earlier than now.',
              other: '{count} products end earlier than now.',
            })}
          </Notice>
        )}
      </div>
    </ConfirmDialog>
  );
}
