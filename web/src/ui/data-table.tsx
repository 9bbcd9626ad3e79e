// A table. Phones show each row as two or three lines; screen readers still get a table (table-roles.ts).
import { say } from '../words/say.ts';
import { classes } from './classes.ts';
import type { Column } from './columns.ts';
import styles from './data-table.module.css';
import { DataTableCell } from './data-table-cell.tsx';
import { DataTableTick } from './data-table-tick.tsx';
import { ROLE } from './table-roles.ts';

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
