// Shows the result of an import: the counts, the first invalid rows, the mails, and its files.
import { type ImportState, type ReadyMails, retryFailedJobs } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { FileCheck, Mail, RefreshCw } from 'lucide-react';
import { useId } from 'react';
import { call } from '../../api.ts';
import { queryClient } from '../../queries.ts';
import { Button } from '../../ui/button.tsx';
import { classes, focusMain } from '../../ui/dom.ts';
import { Icon } from '../../ui/icon.tsx';
import { type Column, cutWords, DataTable } from '../../ui/table.tsx';
import { isolate } from '../../ui/text.tsx';
import { sayNumber } from '../../words/format.ts';
import { say, sayCount } from '../../words/say.ts';
import { refreshLists, tellError, useAction } from '../action.tsx';
import { CancelJob } from '../jobs.tsx';
import { PersonLink } from '../nouns/person.tsx';
import { Counts, FailedRows, FileButton, RowsHead, UploadCard, useNewsFocus } from './failed-rows.tsx';
import { importQuery, openUpload, type ShownUpload, uploads } from './follow.ts';
import { TakeBack } from './take-back.tsx';
import {
  type CountRow,
  sayDifference,
  sayFile,
  sayGenerated,
  sayIgnored,
  sayNoNames,
  sayStopped,
  tallyOf,
} from './words.ts';

const MAILS_POLL_MS = 15_000;

/** Shows an import that is done, failed, cancelled or taken back. */
export function Summary({ shown }: { shown: ShownUpload }) {
  const titleId = useId();
  const title = useNewsFocus(shown);
  const { job } = shown;
  const { id, kind, state, results, errors, errors_count, mails } = job;
  const fileName = sayFile(job);
  useQuery({
    ...importQuery(id),
    // Mails are sent ten minutes after the import.
    refetchInterval: ({ state }) => (state.data?.mails?.queued ? MAILS_POLL_MS : false),
  });
  const notes = [
    state === 'taken_back' && say('This upload was taken back.'),
    state === 'done' && results && sayDifference(job.preview, results.success),
    sayNoNames(kind, job.found),
    sayIgnored(job.ignored),
    results && results.generated > 0 && sayGenerated(results.generated),
  ].filter((note) => typeof note === 'string');
  const refusedMails = mails?.refused ?? [];
  const show = () => void openUpload(job);
  const dismiss = () => {
    uploads.hide(job);
    focusMain();
  };
  return (
    <UploadCard
      titleId={titleId}
      rows={
        (errors.length > 0 || refusedMails.length > 0) && (
          <>
            {errors.length > 0 && <FailedRows kind={kind} errors={errors} count={errors_count} />}
            {refusedMails.length > 0 && <RefusedMails refused={refusedMails} />}
          </>
        )
      }
    >
      <div className="flex items-start gap-3 min-w-0 max-w-full text-sm">
        <Icon of={FileCheck} className="text-ink-3" />
        <div className="min-w-0">
          <h2
            ref={title}
            id={titleId}
            tabIndex={-1}
            className="text-sm truncate font-medium tracking-normal text-ink"
            title={fileName}
          >
            {fileName}
          </h2>
          <span className="wrap-anywhere tabular-nums text-ink-3">{sayExtent(shown)}</span>
        </div>
      </div>
      <dl className="flex flex-wrap w-full border border-line rounded-md">
        {results &&
          tallyOf(kind, results).map(({ label, count, bad }) => (
            <div key={label} className="flex-[1_0_auto] py-2.5 px-3.5 border-line not-first:border-l">
              <dt className="text-xs whitespace-nowrap text-ink-3">{label}</dt>
              <dd
                className={classes(
                  'text-lg/6 font-semibold tabular-nums',
                  bad && count > 0 && 'text-danger-text',
                )}
              >
                {sayNumber(count)}
              </dd>
            </div>
          ))}
      </dl>
      {notes.map((note) => (
        <p key={note} className="text-sm text-ink-3">
          {note}
        </p>
      ))}
      {mails && <Mails mails={mails} />}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {errors_count > 0 && <FileButton id={id} kind={kind} file="failed_rows" />}
        {results && results.duplicates > 0 && <FileButton id={id} kind={kind} file="duplicates" />}
        {results && results.generated > 0 && <FileButton id={id} kind={kind} file="generated" />}
        <TakeBack state={job} fileName={fileName} />
        {state === 'failed' && <FailedActs state={job} onRetried={show} onCancelled={show} />}
        <Button size="sm" look="ghost" onClick={dismiss}>
          {say('Dismiss')}
        </Button>
      </div>
    </UploadCard>
  );
}

function sayExtent({ job, target, startedAtMs, endedAtMs, sizeBytes }: ShownUpload): string {
  const stopped = sayStopped(job);
  if (stopped !== null) return stopped;
  const count = sayCount(job.results?.total ?? 0, { one: '{count} row', other: '{count} rows' });
  const rows = target ? say('{rows} for {target}', { rows: count, target: isolate(target) }) : count;
  // `sizeBytes` is null if another page started the import. In this case, the start time comes from the server's clock,
  // but the end time from the browser's clock. So no duration is shown.
  if (endedAtMs === null || sizeBytes === null) return rows;
  const seconds = Math.max(1, Math.round((endedAtMs - startedAtMs) / 1000));
  return say('{rows}, imported in {seconds} s', { rows, seconds: sayNumber(seconds) });
}

/** What became of the mails that tell the people of an upload which benefits are theirs (R-INV-03). */
function Mails({ mails }: { mails: ReadyMails }) {
  const id = useId();
  const rows: CountRow[] = [
    { label: say('Queued'), count: mails.queued },
    { label: say('Sent'), count: mails.sent },
    { label: say('Failed'), count: mails.failed, look: 'bad' },
    ...(mails.cancelled > 0 ? [{ label: say('Cancelled'), count: mails.cancelled }] : []),
  ];
  return (
    <section className="w-full py-2.5 px-3.5 border border-line rounded-md" aria-labelledby={id}>
      <h3 id={id} className="flex items-center gap-2 pb-2 text-sm tracking-[0]">
        <Icon of={Mail} size={16} />
        {say('‘Your benefits are ready’')}
      </h3>
      <Counts rows={rows} className="[&>:last-child]:border-b-0" />
    </section>
  );
}

function RefusedMails({ refused }: { refused: ReadyMails['refused'] }) {
  const columns: Column<ReadyMails['refused'][number]>[] = [
    {
      label: say('Address'),
      as: 'strong',
      words: ({ email }) => cutWords(email, 40),
      draw: ({ email }, { text }) => <PersonLink to={email}>{text}</PersonLink>,
    },
    {
      label: say('The mail server said'),
      as: 'line',
      wraps: true,
      words: ({ words }) => ({ text: words ?? '-' }),
    },
  ];
  const title = say('Mail refused');
  return (
    <>
      <RowsHead title={title} />
      <DataTable plain caption={title} columns={columns} rows={refused} keyOf={({ email }) => email} />
    </>
  );
}

type FailedActsProps = {
  state: ImportState;
  /** Called when the import is no longer failed, also if somebody else has tried it again or cancelled it. */
  onRetried: () => void;
  onCancelled: () => void;
};

/**
 * Buttons of an import that failed: `Try again` goes on where it stopped, `Cancel import` ends it and deletes its file,
 * so that it can be taken back (C-7).
 */
export function FailedActs({ state: { id, kind }, onRetried, onCancelled }: FailedActsProps) {
  const hintId = useId();
  const { run, busy } = useAction({
    send: async () => {
      const { retried } = await call(retryFailedJobs, { body: { kind: 'import', import_id: id } });
      // Nothing is tried again if somebody else was faster. Only an import that is still failed has lost its job, and
      // with the job its file.
      const now = retried === 0 ? await queryClient.fetchQuery({ ...importQuery(id), staleTime: 0 }) : null;
      return now?.state !== 'failed';
    },
    failed: say('Failed to try again'),
    onDone: (isRetried) => {
      if (!isRetried) return tellError(say('The file is not kept any more. Please upload it again.'));
      refreshLists(kind, 'imports');
      onRetried();
    },
  });
  return (
    <>
      <Button size="sm" busy={busy} onClick={() => void run()}>
        {!busy && <Icon of={RefreshCw} size={16} />}
        {busy ? say('Trying...') : say('Try again')}
      </Button>
      <CancelJob
        id={id}
        size="sm"
        hintId={hintId}
        label={say('Cancel import')}
        failed={say('Failed to cancel the import')}
        onCancelled={() => {
          refreshLists(kind, 'imports');
          onCancelled();
        }}
      />
      <span id={hintId} className="text-sm text-ink-3">
        {say('Cancelling deletes the file. To import the rest, you then upload it again.')}
      </span>
    </>
  );
}
