// Dialog that removes people from a cohort (R-COHORT-22, R-IMP-30).
import type { CohortName } from '@portal/contract';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { isolate } from '../../../ui/isolate.ts';
import { useForm } from '../../../ui/use-form.ts';
import { say } from '../../../words/say.ts';
import { CountChanged } from '../uploads/count-changed.tsx';
import type { useConfirmedCount } from '../uploads/use-confirmed-count.ts';
import { sayMorePeople, sayPeople, sayRemovePeople, sayWhom } from './people-words.ts';

type LeaveDialogProps = {
  cohort: Pick<CohortName, 'name'>;
  /** How many of the people hold a code; null if that is not known. */
  holding: number | null;
  counted: Pick<ReturnType<typeof useConfirmedCount>, 'count' | 'before' | 'isOff'> & { isCounting: boolean };
  onConfirm: () => Promise<void>;
  onClose: () => void;
};

export function LeaveDialog({ cohort, holding, counted, onConfirm, onClose }: LeaveDialogProps) {
  const { count, before, isOff, isCounting } = counted;
  const { busy, props } = useForm({}, async () => {
    await onConfirm();
    return {};
  });
  return (
    <ConfirmDialog
      title={say('Remove {people} from {cohort}?', {
        people: sayPeople(count),
        cohort: isolate(cohort.name),
      })}
      words={sayWhom(count, holding)}
      confirm={sayRemovePeople(count)}
      danger
      busy={busy}
      isOff={isOff}
      disabled={isCounting}
      asked={before}
      formRef={props.ref}
      onCancel={onClose}
      onConfirm={props.onSubmit}
    >
      <CountChanged now={count} before={before} sayChange={sayMorePeople} />
      <p>{say('Products they also have directly or by another cohort stay.')}</p>
    </ConfirmDialog>
  );
}
