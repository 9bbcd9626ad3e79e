// Lists the kinds of bulk work: uploads of files, bulk actions, and the undo of uploads.
import type { ImportState } from '@portal/contract';
import type { Db } from '../db/database.ts';
import { USE_BY, VOID } from './batch-acts.ts';
import {
  findBulkJob,
  findImport,
  findImportState,
  type ImportDetail,
  type ImportJob,
} from './bulk-jobs.sql.ts';
import { checkChunks } from './check.ts';
import { importChunks } from './import.ts';
import { readSource } from './import-sources.sql.ts';
import { PEOPLE_ACT } from './people-acts.ts';
import { type Bulk, reportBulk } from './run-bulk.ts';
import { UNDO } from './undo.ts';

/** The import or check of a file. */
export const FILE: Bulk<ImportDetail> = {
  step: {
    async *ofFile(db, job, tools) {
      const upload = await findImport(db, job.key);
      if (upload === null || upload.source === null) return;
      const source = await readSource(db, { ...upload, source: upload.source });
      if (source === null) return;
      const file: ImportJob & { source: string } = { ...upload, source };
      const chunks =
        upload.state === 'checking' ? checkChunks(db, file, tools, job) : importChunks(db, file, tools);
      // A step returns null, and changes nothing, in two cases: another process has processed the rows of the step, or
      // staff have started the import while this process still checked the file.
      for await (const { from, run } of chunks)
        yield async (tx, now) => (now.state === file.state && now.rows_done === from ? run(tx, now) : null);
    },
  },
  // The audit line has all counts of the import. `count` has the rows that the import added since the line before. The
  // line of a cancelled import says so; `cancelImport` adds a line with who cancelled it.
  report: async (job, tx) => {
    const { id, state: ended, created_by: actor, batch_id, product_ids, cohort_id, success: changes } = job;
    const state = await findImportState(tx, id, 0);
    const isCancelled = ended === 'cancelled';
    if (state === null || (isCancelled && job.rows_done === 0)) return null;
    const { kind, file_name, reason, results } = state;
    const counts = { count: changes - (job.detail.audited ?? 0), ...results };
    return {
      changes,
      line: {
        actor,
        action: ended === 'failed' ? 'import.fail' : 'import.done',
        ...(batch_id !== null && { batch_id, product_id: product_ids[0] ?? '' }),
        cohort_id,
        detail: {
          ...{ import_id: id, kind, file_name, ...(reason !== null && { reason }) },
          ...(isCancelled && { cancelled: true }),
          ...counts,
        },
        summary_of: nounsOfImport(state, job.detail),
      },
    };
  },
};

/** Returns the first words of the actions that an import writes for its rows. */
function nounsOfImport({ kind, results }: ImportState, { tell }: ImportDetail): string[] {
  if (kind !== 'users') return ['product'];
  const { productAccess = 0, joined = 0 } = results ?? {};
  return [
    'user',
    ...(productAccess > 0 ? ['grant'] : []),
    ...(joined > 0 ? ['member'] : []),
    ...(tell === undefined ? [] : ['mail']),
  ];
}

/** The keys are the values of bulk_job.kind. */
const BULKS: Record<string, Bulk | undefined> = {
  products: FILE,
  users: FILE,
  coupons: FILE,
  void: VOID,
  use_by: USE_BY,
  act: PEOPLE_ACT,
  undo: UNDO,
};

/** Returns the functions that run and report the job with this id; undefined if there is no such job. */
export async function findBulk(db: Db, id: string): Promise<Bulk | undefined> {
  return BULKS[(await findBulkJob(db, id))?.kind ?? ''];
}

/** Writes the audit line of a job that has failed or was cancelled. */
export async function reportEnd(tx: Db, id: string): Promise<void> {
  const bulk = await findBulk(tx, id);
  if (bulk !== undefined) await reportBulk(tx, id, bulk);
}
