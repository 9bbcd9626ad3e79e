// Dialog that adds the selected people to a cohort (R-IMP-30).
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { Select } from '../../../ui/select.tsx';
import { useForm } from '../../../ui/use-form.ts';
import { say, sayCount } from '../../../words/say.ts';
import { useCohorts } from '../cohorts/use-cohorts.ts';
import { CountChanged } from '../uploads/count-changed.tsx';
import { sayAddPeople, sayMorePeople } from './people-words.ts';
import { type UsersActProps, useUsersAct } from './use-users-act.ts';

export function JoinDialog(props: UsersActProps) {
  const { options } = useCohorts();
  const { count, before, isOff, isCounting, start } = useUsersAct(props, say('Failed to add the people'));
  const form = useForm({ cohort_id: '' }, async ({ cohort_id }) => {
    if (cohort_id === '') return { cohort_id: say('Select a cohort') };
    await start({ act: 'join', cohort_id });
    return {};
  });
  return (
    <ConfirmDialog
      isForm
      title={sayCount(count, {
        one: 'Add {count} person to a cohort',
        other: 'Add {count} people to a cohort',
      })}
      words={say('They get what the cohort gives, as long as they are in it.')}
      confirm={sayAddPeople(count)}
      busy={form.busy}
      isOff={isOff}
      disabled={isCounting}
      formRef={form.props.ref}
      onCancel={props.onClose}
      onConfirm={form.props.onSubmit}
    >
      <CountChanged now={count} before={before} sayChange={sayMorePeople} />
      <Select
        {...form.field('cohort_id')}
        label={say('Cohort')}
        required
        prompt={say('Select a cohort')}
        options={options}
      />
    </ConfirmDialog>
  );
}
