// The entries of a person's menu for data protection: downloading all data, and erasing the person (R-PRIV-01,
// R-PRIV-02). Also the page of an erased person.
import {
  canonicalAddress,
  erasePerson,
  getPersonData,
  type PersonRecord,
  type VersionedUser,
} from '@portal/contract';
import { Download, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { flushSync } from 'react-dom';
import { useLocation } from 'wouter';
import { call, pathOf } from '../../api.ts';
import { TextField } from '../../ui/field.tsx';
import type { Action } from '../../ui/menu.tsx';
import { Notice } from '../../ui/notice.tsx';
import { isolate } from '../../ui/text.tsx';
import { t, tCount } from '../../words/translate.ts';
import { refreshLists } from '../action.tsx';
import { useDownload } from '../exports.tsx';
import { checkReason, ReasonDialog, useDialogForm } from '../form.tsx';
import { AdminFrame } from '../frame.tsx';
import { personField } from '../nouns/person.tsx';
import { useMay } from '../role.tsx';
import { formatDay } from '../time.ts';

/** Returns the entries of the person's menu, whether one of them is running, and the dialog that one of them opens. */
export function usePrivacyActions(user: VersionedUser): {
  groups: readonly (readonly (Action | false)[])[];
  busy: boolean;
  dialog: ReactNode;
} {
  const [isAsked, setAsked] = useState(false);
  const { busy, download } = useDownload();
  const may = useMay();
  const address = pathOf(getPersonData, { user_id: user.user_id });
  return {
    groups: [
      [
        may(getPersonData) && {
          ...{ label: t('Download data'), icon: Download, hint: t('All that the portal holds, as JSON') },
          onChoose: () => void download('person.json', address),
        },
      ],
      [may(erasePerson) && { label: t('Erase'), icon: Trash2, danger: true, onChoose: () => setAsked(true) }],
    ],
    busy,
    dialog: isAsked && <EraseDialog user={user} onClose={() => setAsked(false)} />,
  };
}

function EraseDialog({ user, onClose }: { user: VersionedUser; onClose: () => void }) {
  const [, navigate] = useLocation();
  const form = useDialogForm({
    start: { email: '', reason: '' },
    check: (values) => ({
      ...checkReason(values),
      ...(canonicalAddress(values.email) !== canonicalAddress(user.email) && {
        email: t('This is not the address'),
      }),
    }),
    send: (body) => call(erasePerson, { params: { user_id: user.user_id }, body }),
    failed: t('Failed to erase the person'),
    // Leaves the page before the lists are loaded again: the page would load the access of an address that is gone.
    onDone: () => {
      flushSync(() => navigate('/admin/users', { replace: true }));
      refreshLists('users', 'coupons');
    },
    done: ({ codes_kept }) =>
      tCount(codes_kept, {
        one: 'Person erased. {count} code stays assigned',
        other: 'Person erased. {count} codes stay assigned',
      }),
  });
  return (
    <ReasonDialog
      form={form}
      danger
      title={t('Erase {name}?', { name: isolate(user.name?.trim() || user.email) })}
      words={t(
        'Name, address and phone number are removed everywhere, for good, also from the log and from uploads. Access and sessions end at once. Codes stay assigned and are never free again. Backups made before still hold the data.',
      )}
      example={t('Asked by letter')}
      confirm={form.busy ? t('Erasing...') : t('Erase')}
      onCancel={onClose}
    >
      <TextField
        {...form.field('email')}
        {...personField('email')}
        label={t('Type the address {email}', { email: isolate(user.email) })}
        autoComplete="off"
        required
      />
    </ReasonDialog>
  );
}

/** The page of an erased person: the portal holds nothing but ids and codes. */
export function ErasedPerson({ record: { erased_at = '', coupons } }: { record: PersonRecord }) {
  return (
    <AdminFrame title={t('Erased person')} back={{ href: '/admin/users', label: t('Users') }}>
      <Notice>
        {t('This person was erased on {day}.', { day: formatDay(erased_at) })}{' '}
        {tCount(coupons.length, {
          one: '{count} code stays assigned.',
          other: '{count} codes stay assigned.',
        })}
      </Notice>
    </AdminFrame>
  );
}
