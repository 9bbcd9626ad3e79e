// Starts an act on a batch of codes for an administrator. The act makes the free codes void, or sets their last day.
import type { BatchRecord, VoidReason } from '@portal/contract';
import { AppError } from '../app-error.ts';
import type { Database } from '../db/database.ts';
import { isRowId } from '../db/is-row-id.ts';
import { findBatch, lockBatch } from '../features/codes/batches.sql.ts';
import { refuseCodes } from '../features/codes/refuse-codes.ts';
import { enqueueRunningJob } from '../jobs/jobs.sql.ts';
import { createBatchAct, type UseByDetail, type VoidDetail } from './batch-acts.sql.ts';
import type { UploadTools } from './import-csv.ts';

export type BatchActTools = UploadTools & {
  /** Returns the date of `at` in the portal's time zone, as YYYY-MM-DD. */
  dayOf: (at: Date) => string;
};

// If an act concerns at most this number of codes, the response is sent after the act is done. Else the response is
// sent at once.
const AT_ONCE = 5_000;
const NEW_PROGRESS = { after: '0', audited: 0 };

type Order = { id: string; actor: string; expected: number };
type SeenUseBy = Pick<BatchRecord, 'use_by' | 'use_by_mixed'>;
type Batch = NonNullable<Awaited<ReturnType<typeof findBatch>>>;
type PlannedAct = { rows_total: number } & (
  | { kind: 'void'; detail: VoidDetail }
  | { kind: 'use_by'; detail: UseByDetail }
);

/**
 * Starts a job that makes the free codes of a batch void (R-LIFE-18). With the reason 'dead', codes of the batch that are
 * void already cannot become free again. If the product's codes are shared, holders keep the codes of the batch, but
 * nobody else gets them (N-51). Returns the id of the job.
 * @throws AppError not_found; count_changed if more codes are free than `expected`; import_running if an import into the
 * batch, or another act on it, is running; invalid_request if the note contains a code.
 */
export async function voidBatch(
  db: Database,
  { reason, note, ...order }: Order & { reason: VoidReason; note: string | null },
  tools: BatchActTools,
): Promise<string> {
  return start(
    db,
    order,
    ({ free }) => {
      const detail = { ...NEW_PROGRESS, expected: order.expected, reason, note, phase: 'free' as const };
      return { kind: 'void', rows_total: free, detail };
    },
    tools,
  );
}

/**
 * Starts a job that sets the last day of the free codes of a batch. If `use_by` is null, the codes no longer have a
 * last day. If `use_by` is after today or null, expired codes of the batch are free again; otherwise the free codes
 * expire (R-LIFE-19, N-59). Returns the id of the job.
 * @throws AppError not_found; invalid_request if the codes are shared; edit_conflict if the last day is not `was` any
 * more; count_changed if more codes than `expected` would change; import_running if an import into the batch, or another
 * act on it, is running.
 */
export async function setBatchUseBy(
  db: Database,
  { use_by, was, ...order }: Order & { use_by: string | null; was?: SeenUseBy | undefined },
  tools: BatchActTools,
): Promise<string> {
  return start(
    db,
    order,
    ({ shared, free, datable, ...now }) => {
      if (shared)
        throw new AppError(
          'invalid_request',
          'The code of this product is shared: upload it again with its last day, or void it',
        );
      const isAhead = use_by === null || use_by > tools.dayOf(tools.now());
      const detail = { ...NEW_PROGRESS, expected: order.expected, use_by, phase: 'free' as const };
      const rows_total = isAhead ? datable : free;
      // A repeated call changes nothing. Without free codes there is no last day.
      const isSet = free > 0 && isSameUseBy(now, { use_by, use_by_mixed: false });
      if (was !== undefined && rows_total > 0 && !isSet && !isSameUseBy(now, was))
        throw new AppError('edit_conflict', 'The last day of these codes is another one by now.');
      return { kind: 'use_by', rows_total, detail };
    },
    tools,
  );
}

function isSameUseBy(a: SeenUseBy, b: SeenUseBy): boolean {
  return a.use_by === b.use_by && a.use_by_mixed === b.use_by_mixed;
}

/**
 * Stores the act that `planAct` returns for the batch, and its job. If the act concerns few codes, waits until the job
 * ends. Returns the id of the job.
 */
async function start(
  db: Database,
  { id: batch_id, actor: created_by, expected }: Order,
  planAct: (batch: Batch) => PlannedAct,
  { now, dayOf, randomUuid, runJob }: BatchActTools,
): Promise<string> {
  const id = randomUuid();
  const { job, rows_total } = await db.transaction(async (tx) => {
    if (isRowId(batch_id) && (await lockBatch(tx, batch_id)))
      throw new AppError('import_running', 'This upload is being changed. Try again when that is done.');
    const batch = isRowId(batch_id) ? await findBatch(tx, batch_id, dayOf(now())) : null;
    if (batch === null) throw new AppError('not_found', 'Upload not found');
    const { product_id, file_name } = batch;
    const act = planAct(batch);
    if (act.kind === 'void') await refuseCodes(tx, act.detail.note, [product_id]);
    const count = act.rows_total;
    if (count > expected)
      throw new AppError('count_changed', `More codes than you saw would change now: ${count}.`, { count });
    await createBatchAct(tx, { ...act, id, created_by, batch_id, file_name, product_ids: [product_id] });
    const order = { kind: 'import', key: id, data: { about: file_name } } as const;
    return { job: await enqueueRunningJob(tx, order, now()), rows_total: count };
  });
  // An error of the job is not an error of this call. The job stays in the queue, and its state shows how many codes
  // are done.
  const work = job === null ? null : runJob(job).catch(() => undefined);
  if (rows_total <= AT_ONCE) await work;
  return id;
}
