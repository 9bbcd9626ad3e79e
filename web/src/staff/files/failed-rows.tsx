// Parts of a card about an upload: the rows that failed, the buttons for its files, the focus on news.
import {
  type CsvKind,
  getImportDuplicates,
  getImportErrors,
  getImportGenerated,
  type RowError,
} from '@portal/contract';
import { Download } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { pathOf } from '../../api.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { type Column, cutWords, DataTable } from '../../ui/table.tsx';
import { sayNumber } from '../../words/format.ts';
import { say, sayServed } from '../../words/say.ts';
import { useDownload } from '../exports.tsx';
import { type ShownUpload, uploads } from './follow.ts';

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
        <p className="text-(length:--text-sm) py-2 px-6 text-ink-3 max-md:px-4.5">
          {say('and {count} more', { count: sayNumber(count - SHOWN_ERRORS) })}
        </p>
      )}
    </>
  );
}

// Button that downloads a CSV file of an upload, for example its failed rows.

const FILES = {
  failed_rows: { of: getImportErrors, label: () => say('Download failed rows (CSV)') },
  duplicates: { of: getImportDuplicates, label: () => say('Download duplicates') },
  generated: { of: getImportGenerated, label: () => say('Download generated codes') },
};

export function FileButton({ id, kind, file }: { id: string; kind: CsvKind; file: keyof typeof FILES }) {
  const { busy, download } = useDownload();
  const { of, label } = FILES[file];
  const start = () => void download(`${kind}_${file}.csv`, pathOf(of, { id }));
  return (
    <Button size="sm" busy={busy} onClick={start}>
      {!busy && <Icon of={Download} size={16} />}
      {label()}
    </Button>
  );
}

// Moves the focus to the result of a check or of a started import, when the result appears.

/** Returns the reference of the title that gets the focus. */
export function useNewsFocus({ job, isNew }: ShownUpload) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isNew) return;
    title.current?.focus();
    uploads.update(job, { isNew: false });
  }, [isNew, job]);
  return title;
}
