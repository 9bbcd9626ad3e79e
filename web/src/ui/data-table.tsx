// A table of rows, which on phones turns into blocks and stays a table to those who listen.
import { Inbox } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import { cut } from './cut.ts';
import styles from './data-table.module.css';
import { Icon } from './icon.tsx';

/** What a cell shows: `full` is there for those who point at it or listen when `text` had to be cut. */
export type CellWords = { text: string; full?: string };

export type Column<Row> = {
  label: string;
  /** Plain words, cut or not. */
  words: (row: Row) => CellWords;
  /** What is drawn in their place; they remain what is read. */
  draw?: (row: Row, words: CellWords) => ReactNode;
  /** `strong` names the row, `end` stands at its right on phones, `line` has a line of its own there. */
  as: 'strong' | 'line' | 'end';
  mono?: boolean;
  wraps?: boolean;
  /** Written before the value on phones, where the head is not seen. */
  labelOnPhones?: boolean;
  /** Not worth a line on phones. */
  awayOnPhones?: (row: Row) => boolean;
};

/** Words of at most `length` characters, with the full ones beside them when they were cut. */
export function cutWords(full: string, length: number): CellWords {
  const text = cut(full, length);
  return text === full ? { text } : { text, full };
}

type DataTableProps<Row> = {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Other rows are on their way. */
  busy?: boolean;
  /** The key of the row to be found at a glance. */
  marked?: string | undefined;
  plain?: boolean;
};

/** A word that would widen its table, such as an address; all others are kept whole. */
const LONG_WORD = /\S{21}/;

// Written out because rows that are blocks on phones are no table to a browser.
export const ROLE = {
  table: { role: 'table' },
  rows: { role: 'rowgroup' },
  row: { role: 'row' },
  head: { role: 'columnheader' },
  name: { role: 'rowheader' },
  cell: { role: 'cell' },
};

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { caption, columns, rows, keyOf, busy, marked, plain } = props;
  return (
    <table
      {...ROLE.table}
      className={classes(styles.table, plain && styles.plain)}
      aria-busy={busy || undefined}
    >
      <caption className="sr-only">{caption}</caption>
      <thead {...ROLE.rows}>
        <tr {...ROLE.row}>
          {columns.map(({ label }) => (
            <th key={label} {...ROLE.head} scope="col">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody {...ROLE.rows}>
        {rows.map((row) => (
          <tr key={keyOf(row)} {...ROLE.row} aria-current={keyOf(row) === marked || undefined}>
            {columns.map((column) => (
              <Cell key={column.label} column={column} row={row} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const words = column.words(row);
  const isName = column.as === 'strong';
  const Element = isName ? 'th' : 'td';
  return (
    <Element
      {...(isName ? { ...ROLE.name, scope: 'row' } : ROLE.cell)}
      dir="auto"
      className={classes(
        styles.cell,
        styles[column.as],
        LONG_WORD.test(words.text) && styles.breaks,
        column.mono && styles.mono,
        column.wraps && styles.wraps,
        column.awayOnPhones?.(row) && styles.away,
      )}
      data-label={column.labelOnPhones ? column.label : undefined}
      title={words.full}
      aria-label={words.full}
    >
      {column.draw?.(row, words) ?? words.text}
    </Element>
  );
}

/** In place of rows when there are none. */
export function NoRows({ children }: { children: ReactNode }) {
  return (
    <div className={styles.empty}>
      <Icon of={Inbox} size={24} />
      {children}
    </div>
  );
}

/** In place of rows while the first ones are on their way. */
export function RowsLoading({ children }: { children: ReactNode }) {
  return <div className={styles.empty}>{children}</div>;
}
