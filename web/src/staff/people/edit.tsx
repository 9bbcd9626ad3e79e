// Dialog that changes address, name and phone number of a person (R-TRAIL-35). If somebody else has changed them
// meanwhile, the dialog shows their version, and saves with the new version (N-317).
import { editedPerson, editPerson, getPerson, type PersonRecord, type VersionedUser } from '@portal/contract';
import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { ApiError, call } from '../../api.ts';
import { queryClient, queryOf } from '../../queries.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { say, sayServed } from '../../words/say.ts';
import { TheirsBar, tellRefusal, tellSuccess } from '../action.tsx';
import { RestoredNotice, useStaffForm } from '../form.tsx';
import { RecordLink } from '../nouns/person.tsx';

type EditDialogProps = { user: VersionedUser; onClose: () => void };

export function EditDialog({ user, onClose }: EditDialogProps) {
  const { form, owner, theirs } = useEditForm(user, onClose);
  const [email, name, phone] = [form.field('email'), form.field('name'), form.field('phone_number')];
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
      <div role="alert">
        {theirs && (
          <Notice icon={TriangleAlert} warning>
            {say('Somebody else changed this person meanwhile.')} {say('What you typed is still here.')}{' '}
            {say('‘Save’ keeps what stands in the form.')}
          </Notice>
        )}
      </div>
      {user.team_role !== null && (
        <Notice warning>
          {say('Whoever has the new address gets the role {role}.', { role: sayServed(user.team_role) })}
        </Notice>
      )}
      <div>
        <TextField
          {...email}
          error={email.error && owner !== undefined ? <Taken words={email.error} by={owner} /> : email.error}
          label={say('Email')}
          type="email"
          required
          autoComplete="off"
          maxLength={255}
        />
        {theirs && theirs.email !== email.value && (
          <TheirsBar label={say('Email')} words={theirs.email} onUse={() => email.onChange(theirs.email)} />
        )}
      </div>
      <div>
        <TextField
          {...name}
          label={say('Name')}
          required={user.name !== null}
          optional={user.name === null}
          autoComplete="off"
          maxLength={200}
        />
        {theirs && theirs.name !== name.value && (
          <TheirsBar label={say('Name')} words={theirs.name} onUse={() => name.onChange(theirs.name)} />
        )}
      </div>
      <div>
        <TextField {...phone} label={say('Phone')} type="tel" optional autoComplete="off" maxLength={50} />
        {theirs && theirs.phone_number !== phone.value && (
          <TheirsBar
            label={say('Phone')}
            words={theirs.phone_number}
            onUse={() => phone.onChange(theirs.phone_number)}
          />
        )}
      </div>
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

function valuesOf({ email, name, phone_number, version }: VersionedUser) {
  return { email, name: name ?? '', phone_number: phone_number ?? '', version };
}

/**
 * `owner` is the id of the person who has the refused address already; undefined after another error. `theirs` is what
 * somebody else has saved since the dialog was opened; null until the server has refused to save.
 */
function useEditForm(user: VersionedUser, onClose: () => void) {
  const { user_id, name } = user;
  const [owner, setOwner] = useState<string>();
  const [theirs, setTheirs] = useState<ReturnType<typeof valuesOf> | null>(null);
  const key = queryOf(getPerson, { user_id }).queryKey;
  const form = useStaffForm({
    start: valuesOf(user),
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
    onConflict: () => void showTheirs(),
    onSaved: (saved) => {
      onClose();
      tellSuccess(say('Changes saved'));
      queryClient.setQueryData(
        key,
        (record: PersonRecord | undefined) => record && { ...record, user: saved },
      );
    },
  });
  const showTheirs = async () => {
    try {
      const now = await call(getPerson, { params: { user_id } });
      queryClient.setQueryData(key, now);
      setTheirs(valuesOf(now.user));
      form.field('version').onChange(now.user.version);
    } catch (error) {
      tellRefusal(error, say('We could not load their version.'));
    }
  };
  return { form, owner, theirs };
}
