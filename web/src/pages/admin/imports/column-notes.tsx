// Renders notes about the CSV file of an upload. The first note lists the columns of the file.
import { type CsvKind, csvKinds } from '@portal/contract';
import { Fragment, type ReactNode } from 'react';
import { say } from '../../../words/say.ts';
import { Notes } from './notes.tsx';

export function ColumnNotes({ kind, children }: { kind: CsvKind; children?: ReactNode }) {
  const { required, optional } = csvKinds[kind];
  return (
    <Notes>
      <li>
        <span>
          {say('Columns:')}{' '}
          {[...required, ...optional].map((name) => (
            <Fragment key={name}>
              <code>{name}</code>{' '}
            </Fragment>
          ))}
        </span>
      </li>
      {children}
    </Notes>
  );
}
