// Dialog that changes address, name and phone number of a person (R-TRAIL-35).
import { type AppUser, editedPerson, type PersonRecord } from '@portal/contract';
import { useState } from 'react';
import { call } from '../../../api.ts';
import { ApiError } from '../../../api-error.ts';
import { editPerson, getPerson } from '../../../people-calls.ts';
import { queryClient, queryOf } from '../../../queries.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { say, sayServed } from '../../../words/say.ts';
import { tellSuccess } from '../refusal-toast.ts';
import { RestoredNotice } from '../staff-form.tsx';
import { useStaffForm } from '../use-staff-form.ts';
import { RecordLink } from './person-link.tsx';

type EditDialogProps = { user: AppUser; onClose: () => void };

export function EditDialog({ user, onClose }: EditDialogProps) {
  const { form, owner } = useEditForm(user, onClose);
  const { field } = form;
  const email = field('email');
  return (
    <ConfirmDialog
      isForm
      title={say('Edit')}
      words={say(
        'A new address takes access, cohorts and codes along. Sessions and unsent mails of the old address end at once.',
      )}
      confirm={form.busy ? say('Saving...') : say('Save')}
      busy={form.busy}
      isOff={form.isOff}
      formRef={form.props.ref}
      onCancel={onClose}
      onConfirm={form.props.onSubmit}
    >
      <RestoredNotice isShown={form.onClear !== undefined} />
      {user.team_role !== null && (
        <Notice warning>
          {say('Whoever has the new address gets the role {role}.', { role: sayServed(user.team_role) })}
        </Notice>
      )}
      <TextField
        {...email}
        error={email.error && owner !== undefined ? <Taken words={email.error} by={owner} /> : email.error}
        label={say('Email')}
        type="email"
        required
        autoComplete="off"
        maxLength={255}
      />
      <TextField
        {...field('name')}
        label={say('Name')}
        required={user.name !== null}
        optional={user.name === null}
        autoComplete="off"
        maxLength={200}
      />
      <TextField
        {...field('phone_number')}
        label={say('Phone')}
        type="tel"
        optional
        autoComplete="off"
        maxLength={50}
      />
    </ConfirmDialog>
  );
}

/** The error of an address that somebody else has, with a link to that person. */
function Taken({ words, by }: { words: string; by: string }) {
  return (
    <span>
      {words}. <RecordLink to={by}>{say('Open their record')}</RecordLink>
    </span>
  );
}

/** `owner` is the id of the person who has the refused address already; undefined after another error. */
function useEditForm({ user_id, email, name, phone_number }: AppUser, onClose: () => void) {
  const [owner, setOwner] = useState<string>();
  const form = useStaffForm({
    start: { email, name: name ?? '', phone_number: phone_number ?? '' },
    // A person who never had a name may go on without one.
    required: () => ({
      email: say('Enter an email address'),
      ...(name !== null && { name: say('Enter a name') }),
    }),
    schema: editedPerson,
    save: async (body) => {
      try {
        return await call(editPerson, { params: { user_id }, body });
      } catch (error) {
        setOwner(error instanceof ApiError ? error.userId : undefined);
        throw error;
      }
    },
    failed: say('Failed to save the changes'),
    refusedAt: { duplicate_email: 'email', last_owner: 'email' },
    onSaved: (user) => {
      onClose();
      tellSuccess(say('Changes saved'));
      queryClient.setQueryData(
        queryOf(getPerson, { user_id }).queryKey,
        (record: PersonRecord | undefined) => record && { ...record, user },
      );
    },
  });
  return { form, owner };
}
