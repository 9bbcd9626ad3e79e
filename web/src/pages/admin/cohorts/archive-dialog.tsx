// Dialog that asks before a cohort is archived (R-COHORT-04).
import type { CohortRecord } from '@portal/contract';
import { editCohort } from '@portal/contract';
import { call } from '../../../api.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { isolate } from '../../../ui/isolate.ts';
import { say } from '../../../words/say.ts';
import { sayMorePeople, sayWhom } from '../people-acts/people-words.ts';
import { CountChanged } from '../uploads/count-changed.tsx';
import { useCohortAct } from './use-cohort-act.ts';

export function ArchiveDialog({ cohort, onClose }: { cohort: CohortRecord; onClose: () => void }) {
  const { cohort_id: id, name, note, version, members, holding } = cohort;
  const { count, before, isOff, busy, props } = useCohortAct({
    start: {},
    members,
    send: async (_values, expected) => {
      await call(editCohort, { params: { id }, body: { name, note, version, archived: true, expected } });
      return say('Cohort archived');
    },
    failed: say('Failed to archive the cohort'),
    onClose,
  });
  return (
    <ConfirmDialog
      title={say('Archive {product}?', { product: isolate(name) })}
      words={sayWhom(count, holding)}
      confirm={say('Archive Cohort')}
      danger
      busy={busy}
      isOff={isOff}
      asked={before}
      formRef={props.ref}
      onCancel={onClose}
      onConfirm={props.onSubmit}
    >
      <CountChanged now={count} before={before} sayChange={sayMorePeople} />
      <p>
        {say(
          'Nobody gets a product by this cohort any more, and it is no longer offered in choices. Bring it back at any time.',
        )}
      </p>
    </ConfirmDialog>
  );
}
