// Starts an act on a batch of codes for an administrator. The act makes the free codes void, or sets their last day.
import type { VoidReason } from '@portal/contract';
import { AppError } from '../app-error.ts';
import type { Database } from '../db/database.ts';
import { enqueueRunningJob } from '../jobs/stores/jobs.ts';
import { createBatchAct, type UseByDetail, type VoidDetail } from '../stores/batch-acts.ts';
import { findBatch } from '../stores/batches.ts';
import type { UploadTools } from './import-csv.ts';
import { isRowId } from './is-row-id.ts';

export type BatchActTools = UploadTools & {
  /** Returns the date of `at` in the portal's time zone, as YYYY-MM-DD. */
  dayOf: (at: Date) => string;
};

// If an act concerns at most this number of codes, the response is sent after the act is done. Else the response is
// sent at once.
const AT_ONCE = 5_000;
const NEW_PROGRESS = { after: '0', audited: 0 };

type Order = { id: string; actor: string; expected: number };
type Batch = NonNullable<Awaited<ReturnType<typeof findBatch>>>;

/**
 * Starts a job that makes the free codes of a batch void (R-LIFE-18). If the product's codes are shared, holders keep
 * the codes of the batch, but nobody else gets them (N-51). Returns the id of the job.
 * @throws AppError not_found; count_changed if more codes are free than `expected`.
 */
export async function voidBatch(
  db: Database,
  { reason, note, ...order }: Order & { reason: VoidReason; note: string | null },
  tools: BatchActTools,
): Promise<string> {
  const batch = await requireBatch(db, order.id);
  requireExpected(batch.free, order);
  const detail = { ...NEW_PROGRESS, expected: order.expected, reason, note };
  return start(db, batch, { ...order, kind: 'void', rows_total: batch.free, detail }, tools);
}

/**
 * Starts a job that sets the last day of the free codes of a batch. If `use_by` is null, the codes no longer have a
 * last day. If `use_by` is after today or null, expired codes of the batch are free again; otherwise the free codes
 * expire (R-LIFE-19, N-59). Returns the id of the job.
 * @throws AppError not_found; invalid_request if the codes are shared; count_changed if more codes than `expected`
 * would change.
 */
export async function setBatchUseBy(
  db: Database,
  { use_by, ...order }: Order & { use_by: string | null },
  tools: BatchActTools,
): Promise<string> {
  const batch = await requireBatch(db, order.id);
  if (batch.shared)
    throw new AppError(
      'invalid_request',
      'The code of this product is shared: upload it again with its last day, or void it',
    );
  const isAhead = use_by === null || use_by > tools.dayOf(tools.now());
  const rows_total = batch.free + (isAhead ? batch.expired : 0);
  requireExpected(rows_total, order);
  const detail = { ...NEW_PROGRESS, expected: order.expected, use_by, phase: 'free' as const };
  return start(db, batch, { ...order, kind: 'use_by', rows_total, detail }, tools);
}

async function requireBatch(db: Database, id: string): Promise<Batch> {
  const batch = isRowId(id) ? await findBatch(db, id) : null;
  if (batch === null) throw new AppError('not_found', 'Upload not found');
  return batch;
}

function requireExpected(count: number, { expected }: Order): void {
  if (count <= expected) return;
  throw new AppError('count_changed', `More codes than you saw would change now: ${count}.`, { count });
}

async function start(
  db: Database,
  { id: batch_id, product_id, file_name }: Batch,
  act: { actor: string; rows_total: number } & (
    | { kind: 'void'; detail: VoidDetail }
    | { kind: 'use_by'; detail: UseByDetail }
  ),
  { now, randomUuid, runJob }: BatchActTools,
): Promise<string> {
  const id = randomUuid();
  const { kind, detail, rows_total, actor: created_by } = act;
  const job = await db.transaction(async (tx) => {
    const stored = { id, kind, detail, rows_total, created_by, batch_id, file_name };
    await createBatchAct(tx, { ...stored, product_ids: [product_id] });
    return enqueueRunningJob(tx, { kind: 'import', key: id, data: { about: file_name } }, now());
  });
  // An error of the job is not an error of this call. The job stays in the queue, and its state shows how many codes
  // are done.
  const work = job === null ? null : runJob(job).catch(() => undefined);
  if (rows_total <= AT_ONCE) await work;
  return id;
}
