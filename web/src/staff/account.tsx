// The menu of the account in the header of the staff pages (R-DAY-60), and the dialog for the own name (R-DAY-52).
import { listTeam, ownName, type SessionUser, setOwnName } from '@portal/contract';
import { Pencil } from 'lucide-react';
import { useState } from 'react';
import { call } from '../api.ts';
import { currentUserQuery, queryClient, useCurrentUser, useSession } from '../queries.ts';
import { useKnownCheck } from '../sign-in/admin-check.ts';
import { TextField } from '../ui/field.tsx';
import { ActionMenu } from '../ui/menu.tsx';
import { t } from '../words/translate.ts';
import { EditDialog, TheirsBar, useStaffForm } from './form.tsx';
import { personField } from './nouns/person.tsx';

export function StaffMenu() {
  const check = useKnownCheck();
  const { data: user } = useCurrentUser();
  const [isRenaming, setRenaming] = useState(false);
  if (check !== 'admin' || !user) return null;
  return (
    // Above the bar with the entries, which sticks to the top of the window.
    <div className="relative z-[calc(var(--z-header)+1)]">
      <ActionMenu
        face={t('Account')}
        groups={[[{ label: t('Your name'), icon: Pencil, onChoose: () => setRenaming(true) }]]}
      />
      {isRenaming && <YourName user={user} onClose={() => setRenaming(false)} />}
    </div>
  );
}

/** If the name was changed meanwhile, for example in another tab, shows that name too. */
function YourName({ user, onClose }: { user: SessionUser; onClose: () => void }) {
  const session = useSession();
  const query = currentUserQuery(session.status === 'signed-in' ? session.userId : undefined);
  const [theirs, setTheirs] = useState<string>();
  const form = useStaffForm({
    mark: ' own name',
    start: { name: user.name ?? '', was: user.name },
    required: () => ({ name: t('Enter a name') }),
    schema: ownName,
    send: (body) => call(setOwnName, { body }),
    failed: t('Failed to save the changes'),
    changes: ['users', listTeam],
    onConflict: async () => {
      const { name }: SessionUser = await queryClient.fetchQuery({ ...query, staleTime: 0 });
      setTheirs(name ?? '');
      form.reset({ ...form.values, was: name });
    },
    conflict: `${t('Your name was changed meanwhile.')} ${t('What you typed is still here.')} ${t('‘Save’ keeps what stands in the form.')}`,
    onDone: ({ name }) => {
      onClose();
      queryClient.setQueryData(query.queryKey, (known) => known && { ...known, name });
    },
    done: t('Changes saved'),
  });
  const name = form.field('name');
  return (
    <EditDialog
      form={form}
      title={t('Your name')}
      words={t('Your colleagues see it in the lists of people and of the team.')}
      onClose={onClose}
    >
      <div>
        <TextField {...name} {...personField('name')} required autoComplete="name" />
        <TheirsBar label={t('Name')} field={name} theirs={theirs} />
      </div>
    </EditDialog>
  );
}
