// Dialog that changes address, name and phone number of a person (R-TRAIL-35). If somebody else has changed them
// meanwhile, the dialog shows their version, and saves with the new version (N-317).
import {
  editedPerson,
  editPerson,
  getPerson,
  PERSON_MAX,
  type PersonRecord,
  type VersionedUser,
} from '@portal/contract';
import { useState } from 'react';
import { ApiError, call } from '../../api.ts';
import { queryClient, queryOf } from '../../queries.ts';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { say, sayServed } from '../../words/say.ts';
import { EditDialog, TheirsBar, useStaffForm } from '../form.tsx';
import { RecordLink } from '../nouns/person.tsx';

export function EditPerson({ user, onClose }: { user: VersionedUser; onClose: () => void }) {
  const { user_id } = user;
  // The id of the person who has the refused address already; undefined after another error.
  const [owner, setOwner] = useState<string>();
  // What somebody else has saved since the dialog was opened; null until the server has refused to save.
  const [theirs, setTheirs] = useState<ReturnType<typeof valuesOf> | null>(null);
  const key = queryOf(getPerson, { user_id }).queryKey;
  const form = useStaffForm({
    start: valuesOf(user),
    // A person who never had a name may go on without one.
    required: () => ({
      email: say('Enter an email address'),
      ...(user.name !== null && { name: say('Enter a name') }),
    }),
    schema: editedPerson,
    send: async (body) => {
      try {
        return await call(editPerson, { params: { user_id }, body });
      } catch (error) {
        setOwner(error instanceof ApiError ? error.userId : undefined);
        throw error;
      }
    },
    failed: say('Failed to save the changes'),
    refusedAt: { duplicate_email: 'email', last_owner: 'email' },
    onConflict: async () => {
      const now = await call(getPerson, { params: { user_id } });
      queryClient.setQueryData(key, now);
      setTheirs(valuesOf(now.user));
      form.reset({ ...form.values, version: now.user.version });
    },
    conflict: `${say('Somebody else changed this person meanwhile.')} ${say('What you typed is still here.')} ${say('‘Save’ keeps what stands in the form.')}`,
    onDone: (saved) => {
      onClose();
      queryClient.setQueryData(
        key,
        (record: PersonRecord | undefined) => record && { ...record, user: saved },
      );
    },
    done: say('Changes saved'),
  });
  const [email, name, phone] = [form.field('email'), form.field('name'), form.field('phone_number')];
  return (
    <EditDialog
      form={form}
      title={say('Edit')}
      words={say(
        'A new address takes access, cohorts and codes along. Sessions and unsent mails of the old address end at once.',
      )}
      onClose={onClose}
    >
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
          maxLength={PERSON_MAX.email}
        />
        <TheirsBar label={say('Email')} field={email} theirs={theirs?.email} />
      </div>
      <div>
        <TextField
          {...name}
          label={say('Name')}
          required={user.name !== null}
          optional={user.name === null}
          autoComplete="off"
          maxLength={PERSON_MAX.name}
        />
        <TheirsBar label={say('Name')} field={name} theirs={theirs?.name} />
      </div>
      <div>
        <TextField
          {...phone}
          label={say('Phone')}
          type="tel"
          optional
          autoComplete="off"
          maxLength={PERSON_MAX.phone_number}
        />
        <TheirsBar label={say('Phone')} field={phone} theirs={theirs?.phone_number} />
      </div>
    </EditDialog>
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
