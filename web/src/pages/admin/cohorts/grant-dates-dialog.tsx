// Dialog that changes the days of one product of a cohort (R-COHORT-22).
import type { CohortRecord } from '@portal/contract';
import { editGrant } from '../../../admin-calls.ts';
import { call } from '../../../api.ts';
import { isolate } from '../../../ui/isolate.ts';
import { say } from '../../../words/say.ts';
import { sayMorePeople, sayWhom } from '../people-acts/people-words.ts';
import { CountChanged } from '../uploads/count-changed.tsx';
import { ActDialog } from '../users/act-dialog.tsx';
import { checkReason } from '../users/use-act-form.ts';
import { AccessDays, checkDays } from './access-days.tsx';
import { type CohortGrant, endsEarlier, nameOf } from './cohort-grant.ts';
import { useCohortAct } from './use-cohort-act.ts';

type GrantDatesDialogProps = { cohort: CohortRecord; grant: CohortGrant; onClose: () => void };

export function GrantDatesDialog({ cohort, grant, onClose }: GrantDatesDialogProps) {
  const form = useCohortAct({
    start: { starts_on: grant.starts_on, ends_on: grant.ends_on ?? '', reason: '' },
    members: cohort.members,
    check: (values) => ({ ...checkDays(values), ...checkReason(values, !endsEarlier(grant, values)) }),
    send: async ({ starts_on, ends_on, reason }, expected) => {
      const body = { starts_on, ends_on: ends_on || null, reason: reason || null, expected };
      await call(editGrant, { params: { id: grant.id }, body });
      return say('Dates changed');
    },
    failed: say('Failed to change the dates'),
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
      <AccessDays form={form} />
    </ActDialog>
  );
}
