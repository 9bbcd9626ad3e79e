// Parts of a card about an upload: its frame, its counts, the rows that failed, the buttons for its files, the focus on
// news.
import {
  type CsvKind,
  getImportDuplicates,
  getImportErrors,
  getImportGenerated,
  type RowError,
} from '@portal/contract';
import { Download, FileText } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { pathOf } from '../../api.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/dom.ts';
import { Icon } from '../../ui/icon.tsx';
import { type Column, cutWords, DataTable } from '../../ui/table.tsx';
import { sayNumber } from '../../words/format.ts';
import { say, sayServed } from '../../words/say.ts';
import { useDownload } from '../exports.tsx';
import { type ShownUpload, uploads } from './follow.ts';
import type { CountRow } from './words.ts';

const SHOWN_ERRORS = 5;

type UploadCardProps = { titleId: string; rows: ReactNode; children: ReactNode };

/** A card about an upload. `rows` are tables beside its other content, on small screens below it. */
export function UploadCard({ titleId, rows, children }: UploadCardProps) {
  return (
    <section
      className={classes(
        'grid grid-cols-1 min-w-0 bg-surface border border-line rounded-lg',
        !!rows && 'lg:grid-cols-[minmax(0,5fr)_minmax(0,7fr)]',
      )}
      aria-labelledby={titleId}
    >
      <div className="grid grid-cols-1 content-start justify-items-start gap-4 min-w-0 pt-5 px-6 pb-6 max-md:p-4.5">
        {children}
      </div>
      {rows && (
        <div className="min-w-0 py-2 border-line border-t lg:border-t-0 lg:border-l max-md:pt-0 max-md:[&_tbody>tr:first-child]:border-t-0">
          {rows}
        </div>
      )}
    </section>
  );
}

export function FileLine({ fileName, children }: { fileName: string; children: ReactNode }) {
  return (
    <p className="text-sm flex flex-wrap items-center gap-x-2 gap-y-1 mt-1.5 text-ink-3">
      <Icon of={FileText} size={16} />
      <b className="min-w-0 wrap-anywhere font-medium text-ink">{fileName}</b>
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </p>
  );
}

const COUNT_LOOKS = {
  new: { dt: 'text-ink-3', dd: 'font-semibold' },
  part: { dt: 'pl-3.5 text-ink-3', dd: '' },
  bad: { dt: 'font-medium text-danger-text', dd: 'font-medium text-danger-text' },
  total: { dt: 'font-medium text-ink', dd: 'font-medium text-ink' },
  plain: { dt: 'text-ink-3', dd: '' },
};

export function Counts({ rows, className }: { rows: readonly CountRow[]; className?: string }) {
  return (
    <dl className={classes('w-full border-t border-line text-sm/6', className)}>
      {rows.map(({ label, count, look }) => {
        const { dt, dd } = COUNT_LOOKS[!look || (look === 'bad' && count === 0) ? 'plain' : look];
        return (
          <div key={label} className="flex justify-between gap-4 py-1.5 border-b border-line">
            <dt className={dt}>{label}</dt>
            <dd className={classes('tabular-nums', dd)}>{sayNumber(count)}</dd>
          </div>
        );
      })}
    </dl>
  );
}

/** The title of a table. */
export function RowsHead({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 pt-3 px-4.5 pb-1 md:px-6 border-line text-sm text-ink-3 [table+&]:border-t">
      <h3 className="tracking-[0] text-ink">{title}</h3>
      {children}
    </div>
  );
}

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

/** Returns the reference of a title, which gets the focus when the result of a check or of an import appears. */
export function useNewsFocus({ job, isNew }: ShownUpload) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isNew) return;
    title.current?.focus();
    uploads.update(job, { isNew: false });
  }, [isNew, job]);
  return title;
}
