// Dialog that moves selected members, or all, to another cohort (R-COHORT-05, R-COHORT-22).

import { moveMembers } from '@portal/contract';
import { call } from '../../../api.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { isolate } from '../../../ui/isolate.ts';
import { Select } from '../../../ui/select.tsx';
import { useForm } from '../../../ui/use-form.ts';
import { say, sayCount } from '../../../words/say.ts';
import { sayMorePeople, sayPeople, sayWhom } from '../people-acts/people-words.ts';
import { CountChanged } from '../uploads/count-changed.tsx';
import { useCohorts } from './use-cohorts.ts';
import { type MembersActProps, useMembersAct } from './use-members-act.ts';

export function MoveDialog(props: MembersActProps) {
  const { cohort, onClose } = props;
  const { options } = useCohorts();
  const { run, holding, count, before, isOff, isCounting } = useMembersAct(props, {
    act: 'move',
    failed: say('Failed to move the people'),
  });
  const form = useForm({ to: '' }, async ({ to }) => {
    if (to === '') return { to: say('Select a cohort') };
    await run(async (whom) => {
      const reply = await call(moveMembers, {
        params: { id: cohort.cohort_id },
        body: { ...whom, to },
      });
      return 'moved' in reply ? reply.moved : reply;
    });
    return {};
  });
  return (
    <ConfirmDialog
      title={say('Move {people} from {cohort}?', { people: sayPeople(count), cohort: isolate(cohort.name) })}
      words={sayWhom(count, holding)}
      confirm={sayCount(count, { one: 'Move {count} person', other: 'Move {count} people' })}
      busy={form.busy}
      isOff={isOff}
      disabled={isCounting}
      asked={before}
      formRef={form.props.ref}
      onCancel={onClose}
      onConfirm={form.props.onSubmit}
    >
      <CountChanged now={count} before={before} sayChange={sayMorePeople} />
      <Select
        {...form.field('to')}
        label={say('Move to')}
        required
        prompt={say('Select a cohort')}
        options={options.filter(({ value }) => value !== cohort.cohort_id)}
      />
      <p>{say('What both cohorts give goes on without a break.')}</p>
    </ConfirmDialog>
  );
}
