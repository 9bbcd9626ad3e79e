// Shows what became of the mails that tell the people of an upload which benefits are theirs (R-INV-03).
import type { ReadyMails } from '@portal/contract';
import { Mail } from 'lucide-react';
import { useId } from 'react';
import { type Column, cutWords } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { sayNumber } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import { PersonLink } from '../people/person-link.tsx';
import styles from './check.module.css';

export function Mails({ mails }: { mails: ReadyMails }) {
  const id = useId();
  const rows = [
    { label: say('Queued'), count: mails.queued },
    { label: say('Sent'), count: mails.sent },
    { label: say('Failed'), count: mails.failed, look: 'bad' },
    ...(mails.cancelled > 0 ? [{ label: say('Cancelled'), count: mails.cancelled }] : []),
  ];
  return (
    <section className={styles.mails} aria-labelledby={id}>
      <h3 id={id}>
        <Icon of={Mail} size={16} />
        {say('‘Your benefits are ready’')}
      </h3>
      <dl className={styles.counts}>
        {rows.map(({ label, count, look }) => (
          <div key={label} data-look={count > 0 ? look : undefined}>
            <dt>{label}</dt>
            <dd>{sayNumber(count)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

type Refused = ReadyMails['refused'][number];

const listColumns = (): Column<Refused>[] => [
  {
    label: say('Address'),
    as: 'strong',
    words: ({ email }) => cutWords(email, 40),
    draw: ({ email }, { text }) => <PersonLink to={email}>{text}</PersonLink>,
  },
  {
    label: say('The mail server said'),
    as: 'line',
    wraps: true,
    words: ({ words }) => ({ text: words ?? '-' }),
  },
];

export function RefusedMails({ refused }: { refused: ReadyMails['refused'] }) {
  return (
    <>
      <div className={styles.head}>
        <h3>{say('Mail refused')}</h3>
      </div>
      <DataTable
        plain
        caption={say('Mail refused')}
        columns={listColumns()}
        rows={refused}
        keyOf={({ email }) => email}
      />
    </>
  );
}
