// A table. Phones show each row as two or three lines; screen readers still get a table (`ROLE`).

import { Inbox, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { say } from '../words/say.ts';
import styles from './data-table.module.css';
import { classes } from './dom.ts';
import { Icon } from './icon.tsx';
import { cut } from './text.tsx';

/** Classes of a link in a row of a table: high enough for a finger, and cut with its text. */
export const ROW_LINK =
  'inline-block max-w-full py-1 overflow-hidden text-ellipsis align-middle rounded-[2px] text-inherit hover:underline hover:underline-offset-[0.2em]';

/** Check boxes with which staff select rows. */
export type RowSelection<Row> = {
  /** Returns the label of the check box of a row, for example 'Select Ada Lovelace'. */
  sayLabel: (row: Row) => string;
  isSelected: (row: Row) => boolean;
  /** `box` is the check box that was pressed. */
  onSelect: (rows: readonly Row[], isSelected: boolean, box: HTMLInputElement) => void;
};

type DataTableProps<Row> = {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** True while new rows are loading. */
  busy?: boolean;
  /** Key of the row to highlight, for example a new one. */
  marked?: string | undefined;
  plain?: boolean;
  className?: string | undefined;
  /** If set, each row has a check box, and the head has one for all rows of the table. */
  selection?: RowSelection<Row> | undefined;
  /** True for a table of numbers: phones show the `line` cells of a row side by side. */
  figures?: boolean;
};

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { caption, columns, rows, keyOf, busy, marked, plain, figures, selection, className } = props;
  const selected = selection ? rows.filter(selection.isSelected).length : 0;
  return (
    <table
      {...ROLE.table}
      className={classes(styles.table, plain && styles.plain, figures && styles.figures, className)}
      aria-busy={busy || undefined}
    >
      <caption className="sr-only">{caption}</caption>
      <thead {...ROLE.rows}>
        <tr {...ROLE.row}>
          {selection && (
            <th {...ROLE.head} scope="col" className={styles.tick}>
              <span className="sr-only">{say('Selection')}</span>
              <DataTableTick
                label={say('Select this page')}
                isTicked={selected > 0 && selected === rows.length}
                isMixed={selected > 0 && selected < rows.length}
                onTick={(isTicked, box) => selection.onSelect(rows, isTicked, box)}
              />
            </th>
          )}
          {columns.map(({ label, labelHidden, right, awayOnTablets }) => (
            <th
              key={label}
              {...ROLE.head}
              scope="col"
              className={classes(right && styles.right, awayOnTablets && styles.awayOnTablets)}
            >
              {labelHidden ? <span className="sr-only">{label}</span> : label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody {...ROLE.rows}>
        {rows.map((row) => (
          <tr
            key={keyOf(row)}
            {...ROLE.row}
            aria-current={keyOf(row) === marked || undefined}
            data-selected={selection?.isSelected(row) || undefined}
          >
            {selection && (
              <td {...ROLE.cell} className={classes(styles.cell, styles.tick)}>
                <DataTableTick
                  label={selection.sayLabel(row)}
                  isTicked={selection.isSelected(row)}
                  onTick={(isTicked, box) => selection.onSelect([row], isTicked, box)}
                />
              </td>
            )}
            {columns.map((column) => (
              <DataTableCell key={column.label} column={column} row={row} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

// A cell of a table. The cell with the name of the row is a row header.

/**
 * Matches words of 21 or more characters, such as e-mail addresses. Only such words may break across lines; otherwise
 * they would widen the table.
 */
const LONG_WORD = /\S{21}/;

function DataTableCell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const words = column.words(row);
  const isName = column.as === 'strong';
  const Element = isName ? 'th' : 'td';
  return (
    <Element
      {...(isName ? { ...ROLE.name, scope: 'row' } : ROLE.cell)}
      className={classes(
        styles.cell,
        styles[column.as],
        LONG_WORD.test(words.text) && styles.breaks,
        column.mono && styles.mono,
        column.mono && !words.text.includes(' ') && styles.oneWord,
        column.right && styles.right,
        column.wraps && styles.wraps,
        column.awayOnPhones?.(row) && styles.away,
        column.awayOnTablets && styles.awayOnTablets,
      )}
      data-label={column.labelOnPhones ? column.label : undefined}
      title={words.full}
      aria-label={words.full}
    >
      {column.draw ? column.draw(row, words) : <bdi>{words.text}</bdi>}
    </Element>
  );
}

// The check box of a row of a table, or of the table's head.

type DataTableTickProps = {
  label: string;
  isTicked: boolean;
  /** True if some rows of the table are ticked, but not all. Only for the check box of the head. */
  isMixed?: boolean;
  onTick: (isTicked: boolean, box: HTMLInputElement) => void;
};

function DataTableTick({ label, isTicked, isMixed = false, onTick }: DataTableTickProps) {
  return (
    <label className={styles.box}>
      <input
        // The browser has no attribute for this state.
        ref={(box) => {
          if (box) box.indeterminate = isMixed;
        }}
        type="checkbox"
        aria-label={label}
        checked={isTicked}
        onChange={({ target }) => onTick(target.checked, target)}
      />
    </label>
  );
}

// Types for the columns of a table: label, text of the cells, layout on phones.

/** Text of a cell. If `text` is cut, `full` is the whole text: a tooltip shows it and screen readers read it. */
export type CellWords = { text: string; full?: string };

export type Column<Row> = {
  label: string;
  /** True if only screen readers get the label, for example because the cells contain buttons. */
  labelHidden?: boolean;
  /** Returns the text of the cell in this column. */
  words: (row: Row) => CellWords;
  /** Returns elements to show instead of the text, for example a tag. */
  draw?: (row: Row, words: CellWords) => ReactNode;
  /**
   * `strong` is the cell with the row's name. On phones, an `end` cell is to the right of the name, and a `line` cell
   * is on its own line.
   */
  as: 'strong' | 'line' | 'end';
  mono?: boolean;
  /** True aligns the column right, for numbers. */
  right?: boolean;
  wraps?: boolean;
  /** True if phones show the label before the value, because they do not show the table's head. */
  labelOnPhones?: boolean;
  /** True if tablets (768 to 1023 px) omit the column, because the others need its space. */
  awayOnTablets?: boolean;
  /** Returns true if phones omit the cell, for example because its value is empty. */
  awayOnPhones?: (row: Row) => boolean;
};

/** Cuts the text `full` to `length` characters. The result contains the field `full` only if the text was cut. */
export function cutWords(full: string, length: number): CellWords {
  const text = cut(full, length);
  return text === full ? { text } : { text, full };
}

// ARIA roles of a table's parts. The roles are explicit, because browsers drop the implicit roles if CSS changes
// `display`.

export const ROLE = {
  table: { role: 'table' },
  rows: { role: 'rowgroup' },
  row: { role: 'row' },
  head: { role: 'columnheader' },
  name: { role: 'rowheader' },
  cell: { role: 'cell' },
};

// Shown instead of rows while the first rows of a list load.
export function RowsLoading({ children }: { children: ReactNode }) {
  return (
    <div className={styles.empty} data-no-rows="">
      {children}
    </div>
  );
}

// Shown instead of rows if a list is empty.
export function NoRows({ icon = Inbox, children }: { icon?: LucideIcon | undefined; children: ReactNode }) {
  return (
    <div className={styles.empty} data-no-rows="">
      <Icon of={icon} size={24} />
      {children}
    </div>
  );
}
