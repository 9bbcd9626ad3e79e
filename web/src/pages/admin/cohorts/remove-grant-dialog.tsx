// Dialog that takes a product away from a cohort (R-COHORT-22).
import type { CohortRecord } from '@portal/contract';
import { withdrawGrant } from '@portal/contract';
import { call } from '../../../api.ts';
import { isolate } from '../../../ui/isolate.ts';
import { say } from '../../../words/say.ts';
import { sayMorePeople, sayWhom } from '../people-acts/people-words.ts';
import { CountChanged } from '../uploads/count-changed.tsx';
import { ActDialog } from '../users/act-dialog.tsx';
import { checkReason } from '../users/use-act-form.ts';
import { type CohortGrant, nameOf } from './cohort-grant.ts';
import { useCohortAct } from './use-cohort-act.ts';

type RemoveGrantDialogProps = { cohort: CohortRecord; grant: CohortGrant; onClose: () => void };

export function RemoveGrantDialog({ cohort, grant, onClose }: RemoveGrantDialogProps) {
  const product = isolate(nameOf(grant));
  const form = useCohortAct({
    start: { reason: '' },
    members: cohort.members,
    check: (values) => checkReason(values, false),
    send: async ({ reason }, expected) => {
      await call(withdrawGrant, { params: { id: grant.id }, body: { reason, revoke_code: false, expected } });
      return say('{product} removed', { product });
    },
    failed: say('Failed to remove the product'),
    onClose,
  });
  const { count, before } = form;
  return (
    <ActDialog
      form={form}
      title={say('Remove {product} from {cohort}?', { product, cohort: isolate(cohort.name) })}
      words={sayWhom(count, grant.holding)}
      reason={form.field('reason')}
      example={say('Partner ended the offer')}
      confirm={say('Remove product')}
      danger
      asked={before}
      onClose={onClose}
    >
      <CountChanged now={count} before={before} sayChange={sayMorePeople} />
    </ActDialog>
  );
}
