// Shows the result of an import: the counts, the first invalid rows, the mails, and its files.
import type { JobState, ReadyMails } from '@portal/contract';
import { getImport } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { FileCheck } from 'lucide-react';
import { useId } from 'react';
import { queryOf } from '../../../queries.ts';
import { Button } from '../../../ui/button.tsx';
import { focusMain } from '../../../ui/focus-main.ts';
import { Icon } from '../../../ui/icon.tsx';
import { isolate } from '../../../ui/isolate.ts';
import { sayNumber } from '../../../words/format.ts';
import { say, sayCount } from '../../../words/say.ts';
import { sayDifference, sayIgnored, sayNoNames } from './check-words.ts';
import { FailedActs } from './failed-acts.tsx';
import { FailedRows } from './failed-rows.tsx';
import { FileButton } from './file-button.tsx';
import { type ImportRun, importRuns } from './import-runs.ts';
import styles from './imports.module.css';
import { Mails, RefusedMails } from './mails.tsx';
import { openUpload } from './open-upload.ts';
import { sayGenerated, sayStopped, tallyOf } from './result-words.ts';
import { TakeBack } from './take-back.tsx';
import { useNewsFocus } from './use-news-focus.ts';

const MAILS_POLL_MS = 15_000;

/** Shows an import that is done, failed, cancelled or taken back. */
export function Summary({ run }: { run: ImportRun }) {
  const titleId = useId();
  const title = useNewsFocus(run);
  const { kind, fileName, state, results, errors, errorsCount } = run;
  const { data } = useQuery({
    ...queryOf(getImport, { id: run.id }),
    // Mails are sent ten minutes after the import.
    refetchInterval: ({ state }) => (mailsOf(state.data)?.queued ? MAILS_POLL_MS : false),
  });
  const mails = mailsOf(data);
  const said = data && 'found' in data ? data : null;
  const difference = results && sayDifference(said?.preview ?? run.preview, results.success);
  const noNames = sayNoNames(kind, said?.found ?? run.found);
  const ignored = sayIgnored(said?.ignored ?? run.ignored);
  const refusedMails = mails?.refused ?? [];
  const show = () => void openUpload(run);
  const dismiss = () => {
    importRuns.remove(kind);
    focusMain();
  };
  return (
    <section className={styles.summary} aria-labelledby={titleId}>
      <div className={styles.outcome}>
        <div className={styles.file}>
          <Icon of={FileCheck} />
          <div className={styles.fileText}>
            <h2 ref={title} id={titleId} tabIndex={-1} className={styles.fileName} title={fileName}>
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
        {said?.state === 'taken_back' && <p className={styles.hint}>{say('This upload was taken back.')}</p>}
        {difference && state === 'done' && <p className={styles.hint}>{difference}</p>}
        {noNames && <p className={styles.hint}>{noNames}</p>}
        {ignored && <p className={styles.hint}>{ignored}</p>}
        {results && results.generated > 0 && <p className={styles.hint}>{sayGenerated(results.generated)}</p>}
        {mails && <Mails mails={mails} />}
        <div className={styles.foot}>
          {errorsCount > 0 && <FileButton id={run.id} kind={kind} file="failed_rows" />}
          {results && results.duplicates > 0 && <FileButton id={run.id} kind={kind} file="duplicates" />}
          {results && results.generated > 0 && <FileButton id={run.id} kind={kind} file="generated" />}
          {said && <TakeBack state={said} fileName={fileName} />}
          {said?.state === 'failed' && <FailedActs state={said} onRetried={show} onCancelled={show} />}
          <Button size="sm" look="ghost" onClick={dismiss}>
            {say('Dismiss')}
          </Button>
        </div>
      </div>
      {(errors.length > 0 || refusedMails.length > 0) && (
        <div className={styles.failures}>
          {errors.length > 0 && <FailedRows kind={kind} errors={errors} count={errorsCount} />}
          {refusedMails.length > 0 && <RefusedMails refused={refusedMails} />}
        </div>
      )}
    </section>
  );
}

function mailsOf(state: JobState | undefined): ReadyMails | undefined {
  return state && 'mails' in state ? state.mails : undefined;
}

function sayExtent(run: ImportRun): string {
  const { results, target, startedAtMs, endedAtMs, sizeBytes } = run;
  const stopped = sayStopped(run);
  if (stopped !== null) return stopped;
  const count = sayCount(results?.total ?? 0, { one: '{count} row', other: '{count} rows' });
  const rows = target ? say('{rows} for {target}', { rows: count, target: isolate(target) }) : count;
  // `sizeBytes` is null if another page started the import. In this case, the start time comes from the server's clock,
  // but the end time from the browser's clock. So no duration is shown.
  if (endedAtMs === null || sizeBytes === null) return rows;
  const seconds = Math.max(1, Math.round((endedAtMs - startedAtMs) / 1000));
  return say('{rows}, imported in {seconds} s', { rows, seconds: sayNumber(seconds) });
}
