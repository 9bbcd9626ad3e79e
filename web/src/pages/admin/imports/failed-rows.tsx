// Tables of a card about an upload: the first rows that failed.
import type { CsvKind, RowError } from '@portal/contract';
import { type Column, cutWords } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { sayNumber } from '../../../words/format.ts';
import { say, sayServed } from '../../../words/say.ts';
import styles from './imports.module.css';

const SHOWN_ERRORS = 5;

const sayContent = {
  products: () => say('Product in file'),
  users: () => say('User in file'),
  coupons: () => say('Coupon code in file'),
};

function columnsOf(kind: CsvKind): Column<RowError>[] {
  return [
    { label: say('Row'), as: 'end', words: ({ row }) => ({ text: sayNumber(row) }), labelOnPhones: true },
    {
      label: sayContent[kind](),
      as: 'strong',
      mono: kind === 'coupons',
      // A control character may be the reason why a row is invalid. So the summary shows each control character as the
      // replacement character.
      words: ({ content }) => cutWords(content.replaceAll(/\p{Cc}/gu, '\uFFFD') || '-', 30),
    },
    { label: say('Reason'), as: 'line', wraps: true, words: ({ message }) => ({ text: sayServed(message) }) },
  ];
}

type FailedRowsProps = { kind: CsvKind; errors: readonly RowError[]; count: number };

/** Shows the first of `count` rows that failed. */
export function FailedRows({ kind, errors, count }: FailedRowsProps) {
  return (
    <>
      <DataTable
        plain
        caption={say('Failed rows')}
        columns={columnsOf(kind)}
        rows={errors.slice(0, SHOWN_ERRORS)}
        keyOf={({ row, message }) => `${row} ${message}`}
      />
      {count > SHOWN_ERRORS && (
        <p className={styles.more}>{say('and {count} more', { count: sayNumber(count - SHOWN_ERRORS) })}</p>
      )}
    </>
  );
}
