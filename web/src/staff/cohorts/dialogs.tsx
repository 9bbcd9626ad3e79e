// The dialogs of a cohort: name and note, archive, move and remove members.
import {
  type CohortRecord,
  editCohort,
  editedCohort,
  getCohort,
  moveMembers,
  removeMembers,
} from '@portal/contract';
import { Pencil, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../api.ts';
import { queryClient, queryOf } from '../../queries.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Select, TextArea, TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { isolate } from '../../ui/text.tsx';
import { useForm } from '../../ui/use-form.ts';
import { say, sayCount } from '../../words/say.ts';
import {
  CountChanged,
  refreshLists,
  TheirsBar,
  tellRefusal,
  tellSuccess,
  useConfirmedCount,
} from '../action.tsx';
import { RestoredNotice, useStaffForm } from '../form.tsx';
import { useJobAddress } from '../jobs.tsx';
import { NAME_MAX, useCohortAct, useCohorts } from '../nouns/cohort.tsx';
import {
  LeaveDialog,
  sayChanged,
  sayMorePeople,
  sayPeople,
  sayWhom,
  usePeopleCount,
} from '../people/acts.tsx';
import type { PeopleSelection } from '../people/selection.tsx';

export function EditName({ cohort }: { cohort: CohortRecord }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="sm" look="ghost" className="-mr-3 max-md:-ml-3" onClick={() => setOpen(true)}>
        <Icon of={Pencil} size={16} />
        {say('Edit name')}
      </Button>
      {isOpen && <EditNameDialog cohort={cohort} onClose={() => setOpen(false)} />}
    </>
  );
}

// Dialog that changes the name and the note of a cohort. If somebody else has changed them meanwhile, the dialog shows
// their version, and saves with the new version (R-COHORT-33).

type EditNameDialogProps = { cohort: CohortRecord; onClose: () => void };

/** Maximum length of a note. */
const NOTE_MAX = 2000;

function EditNameDialog({ cohort, onClose }: EditNameDialogProps) {
  const { form, theirs } = useEditForm(cohort, onClose);
  const name = form.field('name');
  const note = form.field('note');
  return (
    <ConfirmDialog
      isForm
      title={say('Edit name')}
      words={say('Learners never see the name of a cohort, nor its note.')}
      confirm={form.busy ? say('Saving...') : say('Save')}
      busy={form.busy}
      isOff={form.isOff}
      formRef={form.props.ref}
      onCancel={onClose}
      onConfirm={form.props.onSubmit}
    >
      <RestoredNotice isShown={form.onClear !== undefined} />
      <div role="alert">
        {theirs && (
          <Notice icon={TriangleAlert} warning>
            {say('Somebody else changed this cohort meanwhile.')} {say('What you typed is still here.')}{' '}
            {say('‘Save’ keeps what stands in the form.')}
          </Notice>
        )}
      </div>
      <div>
        <TextField {...name} label={say('Name')} required autoComplete="off" maxLength={NAME_MAX} />
        {theirs && theirs.name !== name.value && (
          <TheirsBar label={say('Name')} words={theirs.name} onUse={() => name.onChange(theirs.name)} />
        )}
      </div>
      <div>
        <TextArea
          {...note}
          label={say('Note')}
          optional={say('optional, for staff only')}
          rows={3}
          maxLength={NOTE_MAX}
        />
        {theirs && theirs.note !== note.value && (
          <TheirsBar label={say('Note')} words={theirs.note} onUse={() => note.onChange(theirs.note)} />
        )}
      </div>
    </ConfirmDialog>
  );
}

/** `theirs` is what somebody else has saved since the page was loaded; null until the server has refused to save. */
function useEditForm({ cohort_id: id, ...opened }: CohortRecord, onClose: () => void) {
  const [theirs, setTheirs] = useState<{ name: string; note: string } | null>(null);
  const { name, note, archived, version } = opened;
  const form = useStaffForm({
    mark: 'name',
    start: { name, note: note ?? '', archived, version },
    required: () => ({ name: say('Enter a name') }),
    schema: editedCohort,
    save: (body) => call(editCohort, { params: { id }, body }),
    failed: say('Failed to save the changes'),
    refusedAt: { duplicate_name: 'name' },
    onConflict: () => void showTheirs(),
    onSaved: () => {
      onClose();
      tellSuccess(say('Changes saved'));
      refreshLists('users');
    },
  });
  const showTheirs = async () => {
    try {
      const now = await call(getCohort, { params: { id } });
      queryClient.setQueryData(queryOf(getCohort, { id }).queryKey, now);
      setTheirs({ name: now.name, note: now.note ?? '' });
      form.field('version').onChange(now.version);
      form.field('archived').onChange(now.archived);
    } catch (error) {
      tellRefusal(error, say('We could not load their version.'));
    }
  };
  return { form, theirs };
}

// Dialog that asks before a cohort is archived (R-COHORT-04).
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

// Dialog that moves selected members, or all, to another cohort (R-COHORT-05, R-COHORT-22).
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

// Dialog that removes selected members, or all, from a cohort (R-COHORT-22).
export function RemoveMembersDialog(props: MembersActProps) {
  const { cohort, onClose } = props;
  const { run, holding, ...counted } = useMembersAct(props, {
    act: 'leave',
    failed: say('Failed to remove the people'),
  });
  const remove = () =>
    run(async (body) => {
      const reply = await call(removeMembers, { params: { id: cohort.cohort_id }, body });
      return 'removed' in reply ? reply.removed : reply;
    });
  return (
    <LeaveDialog cohort={cohort} holding={holding} counted={counted} onConfirm={remove} onClose={onClose} />
  );
}

// A call that changes the selected members of a cohort, or all members.

export type MembersActProps = {
  cohort: CohortRecord;
  selection: PeopleSelection;
  /** The search of the list; '' without a search. */
  q: string;
  /** True if the search finds more people than the list has counted. */
  isMore: boolean;
  onClose: () => void;
};

/** The fields of a call that name the people. */
type Whom = { emails: string[] | 'all'; expected: number; q?: string };
type MembersOrder = { failed: string; act: 'leave' | 'move' };

/**
 * Returns the state of `useConfirmedCount`, and `run`, which makes the call `send`. `send` returns the number of changed
 * people, or the id of the job that changes all members. `holding` is the number of the people who hold a code; null until
 * it is there.
 */
function useMembersAct(
  { cohort, selection, q, isMore, onClose }: MembersActProps,
  { act, failed }: MembersOrder,
) {
  const { isAll, count, emails, end } = selection;
  const { cohort_id } = cohort;
  const isWhole = isAll && q === '';
  const { exact, isCounting } = usePeopleCount(
    isWhole ? null : { cohort_id, ...(isAll ? { filter: { cohort_id, q } } : { emails }) },
  );
  const found = isAll && isMore && exact ? exact.people : count;
  const counted = useConfirmedCount(isWhole ? cohort.members : found, failed, { of: 'users' });
  const { follow } = useJobAddress();
  const run = (send: (whom: Whom) => Promise<number | { job_id: string }>) =>
    counted.confirm(async () => {
      const search = isAll && q !== '' ? { q } : {};
      const done = await send({ emails: isAll ? 'all' : emails, expected: counted.count, ...search });
      onClose();
      end();
      if (typeof done === 'object') follow(done.job_id);
      else {
        tellSuccess(sayChanged(act, done, emails.length - done));
        refreshLists('users');
      }
    });
  return {
    ...counted,
    run,
    isCounting,
    holding: isWhole ? cohort.holding : (exact?.holding ?? null),
  };
}
