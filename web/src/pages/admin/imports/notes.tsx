// What has to be known about a file before it is uploaded.
import { type CsvKind, csvKinds } from '@portal/contract';
import { Fragment, type ReactNode } from 'react';
import { say } from '../../../words/say.ts';
import styles from './imports.module.css';

export function Notes({ children }: { children: ReactNode }) {
  return <ul className={styles.notes}>{children}</ul>;
}

/** Notes that begin with the columns of the file. */
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
