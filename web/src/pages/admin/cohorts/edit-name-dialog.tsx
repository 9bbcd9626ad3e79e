// Dialog that changes the name and the note of a cohort. If somebody else has changed them meanwhile, the dialog shows
// their version, and saves with the new version (R-COHORT-33).
import { type CohortRecord, editCohort, editedCohort, getCohort } from '@portal/contract';
import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../../api.ts';
import { queryClient, queryOf } from '../../../queries.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { TextArea } from '../../../ui/text-area.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { say } from '../../../words/say.ts';
import { refreshLists } from '../changes.ts';
import { TheirsBar } from '../products/theirs-bar.tsx';
import { tellRefusal, tellSuccess } from '../refusal-toast.ts';
import { RestoredNotice } from '../staff-form.tsx';
import { useStaffForm } from '../use-staff-form.ts';
import { NAME_MAX } from './cohort-words.ts';

type EditNameDialogProps = { cohort: CohortRecord; onClose: () => void };

/** Maximum length of a note. */
const NOTE_MAX = 2000;

export function EditNameDialog({ cohort, onClose }: EditNameDialogProps) {
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
