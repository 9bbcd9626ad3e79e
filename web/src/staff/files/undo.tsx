// Takes back an upload, with the dialog that asks before (R-IMP-10 to R-IMP-13).
import type { BatchRecord, ImportState, JobState, UndoPreview, VoidReason } from '@portal/contract';
import {
  getBatch,
  getImportUndo,
  listImports,
  note as noteField,
  REASON_MAX,
  REASON_MIN,
  undoImport,
  voidBatch,
} from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { Undo2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { ApiError, call } from '../../api.ts';
import { fetchNow, queryOf } from '../../queries.ts';
import { Button } from '../../ui/button.tsx';
import { RadioGroup } from '../../ui/choice.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { isolate } from '../../ui/text.tsx';
import { formatNumber } from '../../words/format.ts';
import { t, tCount, tServed } from '../../words/translate.ts';
import { refreshLists, useAction } from '../action.tsx';
import { useDialogForm } from '../form.tsx';
import { JobCard, useJob, useJobAddress } from '../jobs.tsx';
import { UPLOADS_PATH } from '../nouns/code.tsx';
import { formatCountChanged, formatKept, formatUnused, formatVoid } from '../nouns/upload.ts';
import { importQuery } from './follow.ts';

type UndoProps = { state: ImportState; fileName: string };

/** Loads the numbers of the dialog again before it opens. */
export function UndoButton({ state, fileName }: UndoProps) {
  const { id, results, batch_id, kind } = state;
  const [isAsked, setAsked] = useState(false);
  const { run, busy } = useAction({
    send: (): Promise<unknown> =>
      batch_id === null ? fetchNow(getImportUndo, { id }) : fetchNow(getBatch, { id: batch_id }),
    failed: t('We could not load the numbers of this upload.'),
    onDone: () => setAsked(true),
  });
  const hasEnded = state.state === 'done' || state.state === 'cancelled';
  const { success = 0, productAccess = 0, joined = 0, duplicates = 0 } = results ?? {};
  // Duplicates count as given by this upload too: the upload that gave them first may have been undone.
  const again = kind === 'coupons' ? 0 : duplicates;
  const isEmpty = success + productAccess + joined + again === 0;
  if (!hasEnded || isEmpty || (kind === 'coupons' && batch_id === null)) return null;
  const close = () => setAsked(false);
  return (
    <>
      <Button size="sm" busy={busy} onClick={() => void run()} icon={Undo2}>
        {t('Take back this upload')}
      </Button>
      {isAsked && batch_id === null && <UndoDialog state={state} fileName={fileName} onClose={close} />}
      {isAsked && batch_id !== null && <UndoBatch id={batch_id} onCancel={close} />}
    </>
  );
}

/** Takes back an upload of codes: its free codes become void. The page of the upload shows the progress. */
function UndoBatch({ id, onCancel }: { id: string; onCancel: () => void }) {
  const [, navigate] = useLocation();
  const { data } = useQuery(queryOf(getBatch, { id }));
  const show = (job: string) => navigate(`${UPLOADS_PATH}/${id}?${new URLSearchParams({ job })}`);
  return data && <VoidDialog isMistake upload={data} onStarted={show} onCancel={onCancel} />;
}

/** Shows how many people lose what (R-IMP-11 to R-IMP-13). */
function UndoDialog({ state, fileName, onClose }: UndoProps & { onClose: () => void }) {
  const { follow } = useJobAddress();
  const { id, kind, results } = state;
  const query = useQuery(queryOf(getImportUndo, { id }));
  const mails = useQuery(importQuery(id)).data?.mails?.queued ?? 0;
  const numbers = query.data;
  const isProducts = kind === 'products';
  const expected = (isProducts ? numbers?.products : numbers?.people) ?? 0;
  const action = useAction({
    send: async () => {
      try {
        return await call(undoImport, { params: { id }, body: { expected } });
      } catch (error) {
        // The dialog shows several numbers, but the error contains only one of them. So all numbers are loaded again.
        if (error instanceof ApiError && error.code === 'count_changed') await query.refetch();
        throw error;
      }
    },
    counted: {
      shown: expected,
      formatChange: () => t('The numbers have changed since the dialog was opened. Please check them again.'),
    },
    failed: t('Failed to take back the upload'),
    onDone: ({ job_id }) => {
      onClose();
      follow(job_id);
    },
  });
  if (!numbers) return null;
  return (
    <ConfirmDialog
      title={t('Take back {file}?', { file: isolate(fileName) })}
      words={isProducts ? formatProducts(numbers) : formatPeople(numbers)}
      confirm={
        isProducts
          ? tCount(expected, {
              one: 'Archive {count} product of this upload',
              other: 'Archive {count} products of this upload',
            })
          : t('Take back')
      }
      danger
      action={action}
      // Nobody may have been given anything, but the upload can be undone all the same: its mails are not sent.
      disabled={isProducts && expected === 0}
      onCancel={onClose}
    >
      {!isProducts && <p>{formatStaying(numbers.lengthened, mails, results?.success ?? 0)}</p>}
    </ConfirmDialog>
  );
}

function formatPeople({ people, holding, kept, kept_later, later }: UndoPreview): string {
  const before = kept - kept_later;
  return join([
    tCount(people, {
      one: '{count} person loses access they got by this upload.',
      other: '{count} people lose access they got by this upload.',
    }),
    holding > 0 &&
      tCount(holding, {
        one: '{count} of them holds a code and keeps seeing it.',
        other: '{count} of them hold a code and keep seeing it.',
      }),
    before > 0 &&
      tCount(before, {
        one: '{count} had access before and keeps it.',
        other: '{count} had access before and keep it.',
      }),
    kept_later > 0 &&
      tCount(kept_later, {
        one: '{count} was given the same again later and keeps it.',
        other: '{count} were given the same again later and keep it.',
      }),
    kept_later > 0 && t('Given again: {givers}.', { givers: listGivers(later) }),
  ]);
}

function formatProducts({ products, products_kept, kept_later, later }: UndoPreview): string {
  const used = products_kept - kept_later;
  return join([
    tCount(products, {
      one: '{count} product of this upload is archived.',
      other: '{count} products of this upload are archived.',
    }),
    used > 0 &&
      tCount(used, {
        one: '{count} has codes or people by now and stays.',
        other: '{count} have codes or people by now and stay.',
      }),
    kept_later > 0 &&
      tCount(kept_later, {
        one: '{count} stands in a later upload too and stays.',
        other: '{count} stand in a later upload too and stay.',
      }),
    kept_later > 0 && t('Also in: {files}.', { files: listGivers(later) }),
  ]);
}

function formatStaying(lengthened: number, mails: number, created: number): string {
  return join([
    lengthened > 0 &&
      tCount(lengthened, {
        one: '{count} grant was only lengthened by this upload and stays lengthened.',
        other: '{count} grants were only lengthened by this upload and stay lengthened.',
      }),
    mails > 0 &&
      tCount(mails, {
        one: '{count} email that was not sent yet is not sent.',
        other: '{count} emails that were not sent yet are not sent.',
      }),
    created > 0 &&
      tCount(created, {
        one: 'The {count} person it created stays.',
        other: 'The {count} people it created stay.',
      }),
  ]);
}

function join(sentences: readonly (string | false)[]): string {
  return sentences.filter((sentence) => sentence !== false).join(' ');
}

/** Names those who gave the same again, each with its number, such as 'autumn.csv (2), by hand (1)'. */
function listGivers(later: UndoPreview['later']): string {
  return later
    .map(({ import_id, file_name, count }) => {
      const name = import_id === null ? t('by hand') : isolate(file_name ?? t('No file name'));
      return `${name} (${formatNumber(count)})`;
    })
    .join(', ');
}

type UndoState = Extract<JobState, { kind: 'undo' }>;

const UNDO = {
  pick: (state: JobState): UndoState | undefined => (state.kind === 'undo' ? state : undefined),
  formatOutcome: ({ results }: UndoState) => {
    const { people = 0, products = 0 } = results ?? {};
    if (products > 0)
      return tCount(products, {
        one: '{count} product was archived.',
        other: '{count} products were archived.',
      });
    return tCount(people, { one: '{count} person lost access.', other: '{count} people lost access.' });
  },
  formatStopped: ({ state, reason, rows_done, rows_total }: UndoState) => {
    const done = { done: rows_done, total: rows_total };
    return state === 'cancelled'
      ? t('Cancelled after {done} of {total}.', done)
      : `${t('Failed after {done} of {total}.', done)} ${tServed(reason ?? '')}`;
  },
  changes: 'users',
} as const;

/** The job that undoes an upload of people or of products: its progress, and then its result. */
export function UndoJob() {
  const { job, dismiss } = useJob(UNDO);
  const hasEnded = job && job.state !== 'running';
  useEffect(() => {
    // Not while the job runs, because each new state of the job would load the lists again.
    if (hasEnded) refreshLists('products', listImports);
  }, [hasEnded]);
  if (!job) return null;
  const { rows_done, rows_total } = job;
  return (
    <JobCard
      job={job}
      kind={UNDO}
      icon={Undo2}
      title={t('The upload is being taken back.')}
      words={t('{done} of {total}', { done: rows_done, total: rows_total })}
      onDismiss={dismiss}
    />
  );
}

type VoidDialogProps = {
  upload: BatchRecord;
  /** True if the dialog takes the upload back (R-IMP-10). Otherwise it asks why the codes become void. */
  isMistake?: boolean;
  /** Called with the id of the job. */
  onStarted: (job: string) => void;
  onCancel: () => void;
};

/**
 * Asks before the unused codes of an upload become void. If the upload was a mistake, codes that are also in another
 * upload stay available (R-IMP-28), and the voided codes may be uploaded again.
 */
export function VoidDialog({ upload, isMistake = false, onStarted, onCancel }: VoidDialogProps) {
  const { id, free, held } = upload;
  const form = useDialogForm({
    start: { reason: (isMistake ? 'mistake' : '') as VoidReason | '', note: '' },
    check: ({ note }) =>
      noteField.safeParse(note).success
        ? {}
        : { note: t('Enter at least {count} characters, or leave it empty', { count: REASON_MIN }) },
    // Without a reason, the dialog cannot be confirmed.
    send: ({ reason, note }, expected) =>
      call(voidBatch, {
        params: { id },
        body: { reason: reason || 'mistake', note: noteField.parse(note), expected },
      }),
    counted: { shown: free, formatChange: formatCountChanged },
    failed: t('Failed to void the codes'),
    onDone: ({ job_id }) => onStarted(job_id),
    changes: ['coupons'],
  });
  const { values, field, count } = form;
  // With any other reason, codes that are also in another upload become void too.
  const kept = values.reason === 'mistake' ? upload.kept : 0;
  const mistake = t('The upload was a mistake. The codes may be uploaded again.');
  return (
    <ConfirmDialog
      title={isMistake ? t('Take back this upload') : t('Void unused codes')}
      words={formatUnused(count, held)}
      confirm={formatVoid(Math.max(count - kept, 0))}
      danger
      action={form}
      disabled={isMistake ? count === 0 : values.reason === ''}
      onCancel={onCancel}
    >
      {!isMistake && (
        <RadioGroup
          label={t('Why?')}
          value={values.reason}
          options={[
            { value: 'mistake', label: mistake },
            { value: 'dead', label: t('These codes must not be used any more.') },
          ]}
          onChange={field('reason').onChange}
        />
      )}
      {kept > 0 && <p role={isMistake ? undefined : 'status'}>{formatKept(upload)}</p>}
      {isMistake ? (
        <p>{mistake}</p>
      ) : (
        <TextField
          {...field('note')}
          label={t('Note')}
          optional={t('optional, for staff only')}
          maxLength={REASON_MAX}
          autoComplete="off"
        />
      )}
    </ConfirmDialog>
  );
}
