// A cell of a table. The cell with the name of the row is a row header.
import { classes } from './classes.ts';
import type { Column } from './columns.ts';
import styles from './data-table.module.css';
import { ROLE } from './table-roles.ts';

/**
 * Matches words of 21 or more characters, such as e-mail addresses. Only such words may break across lines; otherwise
 * they would widen the table.
 */
const LONG_WORD = /\S{21}/;

export function DataTableCell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
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
