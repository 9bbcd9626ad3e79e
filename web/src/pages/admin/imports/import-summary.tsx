// Shows the result of an import: the counts, the first invalid rows, and a button that downloads all invalid rows.
import type { CsvKind, RowError } from '@portal/contract';
import { Download, FileCheck } from 'lucide-react';
import { useId } from 'react';
import { getImportErrors } from '../../../admin-calls.ts';
import { pathOf } from '../../../calls.ts';
import { Button } from '../../../ui/button.tsx';
import { type Column, cutWords } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { focusMain } from '../../../ui/focus-main.ts';
import { Icon } from '../../../ui/icon.tsx';
import { isolate } from '../../../ui/isolate.ts';
import { sayNumber } from '../../../words/format.ts';
import { say, sayCount, sayServed } from '../../../words/say.ts';
import { useDownload } from '../exports/use-download.ts';
import { type ImportRun, importRuns } from './import-runs.ts';
import styles from './imports.module.css';
import { sayGenerated, tallyOf } from './result-words.ts';

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

/** Shows an import that is done, failed or cancelled. Renders nothing for other states. */
export function ImportSummary({ run, className }: { run: ImportRun | undefined; className?: string }) {
  if (!run?.results || run.state === 'running') return null;
  return <Summary key={run.id} run={run} className={className} />;
}

function Summary({ run, className }: { run: ImportRun; className: string | undefined }) {
  const titleId = useId();
  const { kind, fileName, results, errors, errorsCount } = run;
  const dismiss = () => {
    importRuns.remove(kind);
    focusMain();
  };
  return (
    <section className={`${styles.summary} ${className ?? ''}`} aria-labelledby={titleId}>
      <div className={styles.outcome}>
        <div className={styles.file}>
          <Icon of={FileCheck} />
          <div className={styles.fileText}>
            <h2 id={titleId} className={styles.fileName} title={fileName}>
              {fileName}
            </h2>
            <span className={styles.faint}>{sayExtent(run)}</span>
          </div>
        </div>
        <dl className={styles.tally}>
          {results &&
            tallyOf(kind, results).map(({ label, count, bad }) => (
              <div key={label} data-bad={bad && count > 0 ? '' : undefined}>
                <dt>{label}</dt>
                <dd>{sayNumber(count)}</dd>
              </div>
            ))}
        </dl>
        {results && results.generated > 0 && <p className={styles.hint}>{sayGenerated(results.generated)}</p>}
        <div className={styles.foot}>
          {errorsCount > 0 && <DownloadErrors id={run.id} kind={kind} />}
          <Button size="sm" look="ghost" onClick={dismiss}>
            {say('Dismiss')}
          </Button>
        </div>
      </div>
      {errors.length > 0 && (
        <div className={styles.failures}>
          <DataTable
            plain
            caption={say('Failed rows')}
            columns={columnsOf(kind)}
            rows={errors.slice(0, SHOWN_ERRORS)}
            keyOf={({ row, message }) => `${row} ${message}`}
          />
          {errorsCount > SHOWN_ERRORS && (
            <p className={styles.more}>
              {say('and {count} more', { count: sayNumber(errorsCount - SHOWN_ERRORS) })}
            </p>
          )}
        </div>
      )}
    </section>
  );
}

function sayExtent({ state, rowsDone, rowsTotal, ...run }: ImportRun): string {
  const { results, reason, target, startedAtMs, endedAtMs, sizeBytes } = run;
  const extent = { done: sayNumber(rowsDone), total: sayNumber(rowsTotal) };
  if (state === 'cancelled')
    return say('Cancelled after {done} of {total} rows. Rows that were imported stay.', extent);
  if (state === 'failed')
    return `${say('Failed after {done} of {total} rows. Rows that were imported stay.', extent)} ${sayServed(reason)}`;
  const count = sayCount(results?.total ?? 0, { one: '{count} row', other: '{count} rows' });
  const rows = target ? say('{rows} for {target}', { rows: count, target: isolate(target) }) : count;
  // `sizeBytes` is null if another page started the import. In this case, the start time comes from the server's clock,
  // but the end time from the browser's clock. So no duration is shown.
  if (endedAtMs === null || sizeBytes === null) return rows;
  const seconds = Math.max(1, Math.round((endedAtMs - startedAtMs) / 1000));
  return say('{rows}, imported in {seconds} s', { rows, seconds: sayNumber(seconds) });
}

function DownloadErrors({ id, kind }: { id: string; kind: CsvKind }) {
  const { busy, download } = useDownload();
  const address = pathOf(getImportErrors, { id });
  return (
    <Button size="sm" busy={busy} onClick={() => void download(`${kind}_failed_rows.csv`, address)}>
      {!busy && <Icon of={Download} size={16} />}
      {say('Download failed rows (CSV)')}
    </Button>
  );
}
