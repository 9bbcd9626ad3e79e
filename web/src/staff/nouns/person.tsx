// A person: links, path, fields, column, last sign-in.
import { PERSON_MAX } from '@portal/contract';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ROW_LINK } from '../../ui/table.tsx';
import { t } from '../../words/translate.ts';
import { column } from '../list.tsx';
import { formatDayAndTime } from '../time.ts';

/** `to` is the `user_id` or the address of the person. */
type PersonLinkProps = { to: string; children: ReactNode };

/** A link in a row of a list that names the person. */
export function PersonLink({ to, children }: PersonLinkProps) {
  return (
    <Link href={personPath(to)} className={ROW_LINK} dir="auto">
      {children}
    </Link>
  );
}

/** Classes of a link in a text, or beside one. */
export const TEXT_LINK =
  'inline-block min-h-6 leading-6 rounded-xs font-medium text-accent-text underline underline-offset-[0.2em] decoration-1';

/** A link in a text, or beside one. */
export function RecordLink({ to, children }: PersonLinkProps) {
  return (
    <Link href={personPath(to)} className={TEXT_LINK}>
      {children}
    </Link>
  );
}

/** `named` is the `user_id` or the address of the person. */
export const personPath = (named: string) => `/admin/users/${encodeURIComponent(named)}`;
/** The page of the person, with the dialog 'Give products' open. */
export const givePath = (user_id: string) => `${personPath(user_id)}?open=give`;
export const viewAsPath = (user_id: string) => `/admin/view-as/${user_id}`;

/** Who made the row: an address links to the record of the person (R-FIND-02). The operator and API keys have none. */
export const listByColumn = <Row extends { created_by: string | null }>() =>
  column<Row>(t('By'), ({ created_by }) => created_by ?? '-', {
    max: 40,
    draw: ({ created_by }, { text }) =>
      created_by?.includes('@') && !created_by.startsWith('key:') ? (
        <PersonLink to={created_by}>{text}</PersonLink>
      ) : (
        text
      ),
    awayOnTablets: true,
  });

export function personField(name: 'email' | 'name' | 'phone_number') {
  const props = {
    email: { label: t('Email'), type: 'email' },
    name: { label: t('Name') },
    phone_number: { label: t('Phone'), type: 'tel' },
  };
  return { ...props[name], maxLength: PERSON_MAX[name] };
}

export function formatSignIn(at: string | null): string {
  return at === null ? t('Never') : formatDayAndTime(at);
}
