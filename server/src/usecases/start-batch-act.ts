// Starts an act on the codes of a batch for an administrator: makes its free codes void, or sets their last day.
import type { VoidReason } from '@portal/contract';
import { AppError } from '../app-error.ts';
import type { Database } from '../db/database.ts';
import { enqueueRunningJob } from '../jobs/stores/jobs.ts';
import { createBatchAct, type UseByDetail, type VoidDetail } from '../stores/batch-acts.ts';
import { findBatch } from '../stores/batches.ts';
import type { UploadTools } from './import-csv.ts';
import { isRowId } from './is-row-id.ts';

export type BatchActTools = UploadTools & {
  /** Returns the day of a moment in the portal's time zone, as YYYY-MM-DD. */
  dayOf: (at: Date) => string;
};

// Up to this number of codes, the act is done before the response.
const AT_ONCE = 5_000;
const NEW_PROGRESS = { after: '0', audited: 0 };

type Order = { id: string; actor: string; expected: number };
type Batch = NonNullable<Awaited<ReturnType<typeof findBatch>>>;

/**
 * Starts to make the free codes of a batch void (R-LIFE-18). In a product with shared codes, their texts become void
 * (N-51). Returns the id of the job.
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
 * Starts to set the last day of the free codes of a batch; null removes it. Expired codes are free again if the day lies
 * ahead; free codes expire if it does not (R-LIFE-19, N-59). Returns the id of the job.
 * @throws AppError not_found; invalid_request if the codes are shared; count_changed if more codes than `expected` would
 * change.
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
  // An error does not concern this call: the job stays in the queue, and its state says how far it has come.
  const work = job === null ? null : runJob(job).catch(() => undefined);
  if (rows_total <= AT_ONCE) await work;
  return id;
}
