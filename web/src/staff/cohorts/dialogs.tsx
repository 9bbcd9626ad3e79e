// The dialogs of a cohort: name and note, archive, move and remove members (R-COHORT-04, R-COHORT-05, R-COHORT-22).
import {
  COHORT_MAX,
  type CohortRecord,
  editCohort,
  editedCohort,
  getCohort,
  moveMembers,
  removeMembers,
} from '@portal/contract';
import { Pencil } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../api.ts';
import { queryClient, queryOf } from '../../queries.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Select, TextArea, TextField } from '../../ui/field.tsx';
import { isolate } from '../../ui/text.tsx';
import { say, sayCount } from '../../words/say.ts';
import { type ActionOrder, tellSuccess, useAction } from '../action.tsx';
import { EditDialog, TheirsBar, useDialogForm, useStaffForm } from '../form.tsx';
import { useJobAddress } from '../jobs.tsx';
import { useCohorts } from '../nouns/cohort.tsx';
import {
  LeaveDialog,
  type PeopleSelection,
  sayChanged,
  sayMorePeople,
  sayPeople,
  sayWhom,
  usePeopleCount,
} from '../people/acts.tsx';

export function EditName({ cohort }: { cohort: CohortRecord }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        size="sm"
        look="ghost"
        icon={Pencil}
        className="-mr-3 max-md:-ml-3"
        onClick={() => setOpen(true)}
      >
        {say('Edit name')}
      </Button>
      {isOpen && <EditNameDialog cohort={cohort} onClose={() => setOpen(false)} />}
    </>
  );
}

function EditNameDialog({ cohort, onClose }: { cohort: CohortRecord; onClose: () => void }) {
  const { cohort_id: id, archived, version } = cohort;
  // What somebody else has saved since the page was loaded; null until the server has refused to save (R-COHORT-33).
  const [theirs, setTheirs] = useState<{ name: string; note: string } | null>(null);
  const form = useStaffForm({
    mark: 'name',
    start: { name: cohort.name, note: cohort.note ?? '', archived, version },
    required: () => ({ name: say('Enter a name') }),
    schema: editedCohort,
    send: (body) => call(editCohort, { params: { id }, body }),
    failed: say('Failed to save the changes'),
    refusedAt: { duplicate_name: 'name' },
    onConflict: async () => {
      const now = await call(getCohort, { params: { id } });
      queryClient.setQueryData(queryOf(getCohort, { id }).queryKey, now);
      setTheirs({ name: now.name, note: now.note ?? '' });
      form.reset({ ...form.values, version: now.version, archived: now.archived });
    },
    conflict: `${say('Somebody else changed this cohort meanwhile.')} ${say('What you typed is still here.')} ${say('‘Save’ keeps what stands in the form.')}`,
    onDone: onClose,
    done: say('Changes saved'),
    changes: ['users'],
  });
  const name = form.field('name');
  const note = form.field('note');
  return (
    <EditDialog
      form={form}
      title={say('Edit name')}
      words={say('Learners never see the name of a cohort, nor its note.')}
      onClose={onClose}
    >
      <div>
        <TextField {...name} label={say('Name')} required autoComplete="off" maxLength={COHORT_MAX.name} />
        <TheirsBar label={say('Name')} field={name} theirs={theirs?.name} />
      </div>
      <div>
        <TextArea
          {...note}
          label={say('Note')}
          optional={say('optional, for staff only')}
          rows={3}
          maxLength={COHORT_MAX.note}
        />
        <TheirsBar label={say('Note')} field={note} theirs={theirs?.note} />
      </div>
    </EditDialog>
  );
}

export function ArchiveDialog({ cohort, onClose }: { cohort: CohortRecord; onClose: () => void }) {
  const { cohort_id: id, name, note, version, members, holding } = cohort;
  const act = useAction({
    send: (_, expected) =>
      call(editCohort, { params: { id }, body: { name, note, version, archived: true, expected } }),
    counted: { shown: members, sayChange: sayMorePeople },
    failed: say('Failed to archive the cohort'),
    onDone: onClose,
    done: say('Cohort archived'),
    changes: ['users'],
  });
  return (
    <ConfirmDialog
      act={act}
      title={say('Archive {product}?', { product: isolate(name) })}
      words={sayWhom(act.count, holding)}
      confirm={say('Archive Cohort')}
      danger
      onCancel={onClose}
    >
      <p>
        {say(
          'Nobody gets a product by this cohort any more, and it is no longer offered in choices. Bring it back at any time.',
        )}
      </p>
    </ConfirmDialog>
  );
}

export function MoveDialog(props: MembersActProps) {
  const { cohort, onClose } = props;
  const { options } = useCohorts();
  const { holding, isCounting, whom, ...order } = useMembers('move', props);
  const form = useDialogForm({
    ...order,
    start: { to: '' },
    check: ({ to }) => (to === '' ? { to: say('Select a cohort') } : {}),
    send: async ({ to }, expected) => {
      const body = { ...whom, expected, to };
      const reply = await call(moveMembers, { params: { id: cohort.cohort_id }, body });
      return 'moved' in reply ? reply.moved : reply;
    },
    failed: say('Failed to move the people'),
  });
  const { count } = form;
  return (
    <ConfirmDialog
      act={form}
      title={say('Move {people} from {cohort}?', { people: sayPeople(count), cohort: isolate(cohort.name) })}
      words={sayWhom(count, holding)}
      confirm={sayCount(count, { one: 'Move {count} person', other: 'Move {count} people' })}
      disabled={isCounting}
      onCancel={onClose}
    >
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

export function RemoveMembersDialog(props: MembersActProps) {
  const { cohort, onClose } = props;
  const { holding, isCounting, whom, ...order } = useMembers('leave', props);
  const act = useAction({
    ...order,
    send: async (_, expected) => {
      const body = { ...whom, expected };
      const reply = await call(removeMembers, { params: { id: cohort.cohort_id }, body });
      return 'removed' in reply ? reply.removed : reply;
    },
    failed: say('Failed to remove the people'),
  });
  return (
    <LeaveDialog act={act} cohort={cohort} holding={holding} isCounting={isCounting} onCancel={onClose} />
  );
}

type MembersActProps = {
  cohort: CohortRecord;
  selection: PeopleSelection;
  /** The search of the list; '' without a search. */
  q: string;
  /** True if the search finds more people than the list has counted. */
  isMore: boolean;
  onClose: () => void;
};

/** The number of changed people, or the job that changes all members. */
type Changed = number | { job_id: string };

/**
 * Returns `whom`, the fields of a call that change the selected members or all, and what both actions on them have in
 * common. `holding` is the number of the people who hold a code; null until it is there.
 */
function useMembers(act: 'leave' | 'move', { cohort, selection, q, isMore, onClose }: MembersActProps) {
  const { isAll, count, emails, end } = selection;
  const { cohort_id } = cohort;
  const isWhole = isAll && q === '';
  const { exact, isCounting } = usePeopleCount(
    isWhole ? null : { cohort_id, ...(isAll ? { filter: { cohort_id, q } } : { emails }) },
  );
  const { follow } = useJobAddress();
  const found = isAll && isMore && exact ? exact.people : count;
  const order = {
    counted: { shown: isWhole ? cohort.members : found, sayChange: sayMorePeople },
    onDone: (done) => {
      onClose();
      end();
      if (typeof done === 'object') follow(done.job_id);
      else tellSuccess(sayChanged(act, done, emails.length - done));
    },
    changes: ['users'],
  } satisfies Partial<ActionOrder<Changed, never>>;
  return {
    ...order,
    whom: { emails: isAll ? ('all' as const) : emails, ...(isAll && q !== '' && { q }) },
    isCounting,
    holding: isWhole ? cohort.holding : (exact?.holding ?? null),
  };
}
