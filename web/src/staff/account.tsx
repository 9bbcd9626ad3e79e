// The menu of the account in the header of the staff pages (R-DAY-60), and the dialog for the own name (R-DAY-52).
import { type Language, languages, listTeam, ownName, type SessionUser, setOwnName } from '@portal/contract';
import { CircleUserRound, Pencil } from 'lucide-react';
import { useState, useSyncExternalStore } from 'react';
import { call } from '../api.ts';
import { inLanguage } from '../frame.tsx';
import { currentUserQuery, queryClient, useCurrentUser, useSession } from '../queries.ts';
import { useKnownCheck, useTeamRole } from '../sign-in/admin-check.ts';
import { getTheme, setTheme, subscribeToTheme, type Theme } from '../theme.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import { ActionMenu } from '../ui/menu.tsx';
import { currentLocale } from '../words/format.ts';
import { t } from '../words/translate.ts';
import { EditDialog, TheirsBar, useStaffForm } from './form.tsx';
import { personField } from './nouns/person.tsx';
import { formatRole } from './role.tsx';
import { findForeignZone } from './time.ts';

export function StaffMenu() {
  const check = useKnownCheck();
  const { data: user } = useCurrentUser();
  const role = useTeamRole();
  const theme = useSyncExternalStore(subscribeToTheme, getTheme);
  const [isRenaming, setRenaming] = useState(false);
  const zone = findForeignZone();
  const face = (
    <>
      <Icon of={CircleUserRound} className="md:hidden" />
      <span className="max-md:sr-only">{t('Account')}</span>
    </>
  );
  if (check !== 'admin' || !user || !role) {
    // Keeps the room of the button, so that the address beside it does not move.
    return (
      <Button size="sm" className="invisible">
        {face}
      </Button>
    );
  }
  const themes: Record<Theme, string> = { system: t('As the device'), light: t('Light'), dark: t('Dark') };
  const chooseTheme = (to: Theme) => ({
    label: themes[to],
    isChosen: theme === to,
    onChoose: () => setTheme(to),
  });
  const chooseLanguage = (tag: Language) => ({
    label: languages[tag],
    lang: tag,
    isChosen: currentLocale.language === tag,
    onChoose: () => {
      if (currentLocale.language !== tag) location.assign(inLanguage(tag));
    },
  });
  return (
    <>
      <ActionMenu
        face={face}
        headings={[`${user.email} · ${formatRole(role)}`, t('Theme'), t('Language')]}
        groups={[
          [
            {
              label: t('Your name'),
              icon: Pencil,
              hint: user.name ?? t('None yet'),
              onChoose: () => setRenaming(true),
            },
          ],
          (['system', 'light', 'dark'] as const).map(chooseTheme),
          (Object.keys(languages) as Language[]).map(chooseLanguage),
        ]}
        {...(zone && { foot: t('Times are in {zone}', { zone }) })}
      />
      {isRenaming && <YourName user={user} onClose={() => setRenaming(false)} />}
    </>
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
