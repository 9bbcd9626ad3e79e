// A table. Phones show each row as two or three lines; screen readers still get a table (table-roles.ts).
import { classes } from './classes.ts';
import type { Column } from './columns.ts';
import styles from './data-table.module.css';
import { DataTableCell } from './data-table-cell.tsx';
import { ROLE } from './table-roles.ts';

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
  /** True for a table of numbers: phones show the `line` cells of a row side by side. */
  figures?: boolean;
};

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { caption, columns, rows, keyOf, busy, marked, plain, figures, className } = props;
  return (
    <table
      {...ROLE.table}
      className={classes(styles.table, plain && styles.plain, figures && styles.figures, className)}
      aria-busy={busy || undefined}
    >
      <caption className="sr-only">{caption}</caption>
      <thead {...ROLE.rows}>
        <tr {...ROLE.row}>
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
          <tr key={keyOf(row)} {...ROLE.row} aria-current={keyOf(row) === marked || undefined}>
            {columns.map((column) => (
              <DataTableCell key={column.label} column={column} row={row} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
