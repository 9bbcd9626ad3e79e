// Bulk actions on the free codes of a batch: they make the codes void, or set another last day.

import type { BatchRecord, VoidReason } from '@portal/contract';
import { AppError } from '../app-error.ts';
import type { Clock } from '../day.ts';
import { type Database, type Db, isRowId } from '../db/database.ts';
import { findBatch, lockBatch, lockStock } from '../features/codes/batches.sql.ts';
import { refuseCodes } from '../features/codes/codes.ts';
import { countExpired, voidSharedCodes } from '../features/codes/void.sql.ts';
import { recordClaimPlaces } from '../features/redeem/redeem.sql.ts';
import * as acts from './batch-acts.sql.ts';
import type { BulkJob, Step } from './bulk-jobs.sql.ts';
import { type Bulk, startBulk, type UploadTools } from './run-bulk.ts';

const START = { after: '0', phase: 'free' } as const;

type Order = { id: string; actor: string; expected: number };
type SeenUseBy = Pick<BatchRecord, 'use_by' | 'use_by_mixed'>;
type Batch = NonNullable<Awaited<ReturnType<typeof findBatch>>>;
type Act = { kind: 'void'; detail: acts.VoidDetail } | { kind: 'use_by'; detail: acts.UseByDetail };

/**
 * Starts a job that makes the free codes of a batch void (R-LIFE-18). With the reason 'dead', codes of the batch that
 * are void already cannot become free again. Shared codes stay with the people who hold them, but nobody else gets
 * them (N-51). Returns the id of the job.
 * @throws AppError not_found; count_changed if more codes are free than `expected`; import_running if an import into
 * the batch, or another action on it, is running; invalid_request if the note contains a code.
 */
export async function voidBatch(
  db: Database,
  { reason, note, ...order }: Order & { reason: VoidReason; note: string | null },
  tools: UploadTools,
): Promise<string> {
  const detail = { ...START, expected: order.expected, reason, note };
  return start(db, order, ({ free }) => ({ kind: 'void', rows_total: free, detail }), tools);
}

/**
 * Starts a job that sets the last day of the free codes of a batch; null means no last day. With null or a day after
 * today, expired codes of the batch become free again. With an earlier day, the free codes expire (R-LIFE-19, N-59).
 * Returns the id of the job.
 * @throws AppError not_found; invalid_request if the codes are shared; edit_conflict if the last day is no longer
 * `was`; count_changed if more codes than `expected` would change; import_running if an import into the batch, or
 * another action on it, is running.
 */
export async function setBatchUseBy(
  db: Database,
  { use_by, was, ...order }: Order & { use_by: string | null; was?: SeenUseBy | undefined },
  tools: UploadTools,
): Promise<string> {
  const planAct = ({ shared, free, datable, ...now }: Batch) => {
    if (shared)
      throw new AppError(
        'invalid_request',
        'The code of this product is shared: upload it again with its last day, or void it',
      );
    const isAhead = use_by === null || use_by > tools.dayOf(tools.now());
    const detail = { ...START, expected: order.expected, use_by };
    const rows_total = isAhead ? datable : free;
    // A repeated call is not a conflict, because the first call has set the same day. A batch without free codes has no
    // last day, so `isSet` is false for it.
    const isSet = free > 0 && isSameUseBy(now, { use_by, use_by_mixed: false });
    if (was !== undefined && rows_total > 0 && !isSet && !isSameUseBy(now, was))
      throw new AppError('edit_conflict', 'The last day of these codes is another one by now.');
    return { kind: 'use_by' as const, rows_total, detail };
  };
  return start(db, order, planAct, tools);
}

function isSameUseBy(a: SeenUseBy, b: SeenUseBy): boolean {
  return a.use_by === b.use_by && a.use_by_mixed === b.use_by_mixed;
}

function start(
  db: Database,
  { id: batch_id, actor: created_by, expected }: Order,
  planAct: (batch: Batch) => Act & { rows_total: number },
  tools: UploadTools,
): Promise<string> {
  const plan = async (tx: Db) => {
    if (isRowId(batch_id) && (await lockBatch(tx, batch_id)))
      throw new AppError('import_running', 'This upload is being changed. Try again when that is done.');
    const batch = isRowId(batch_id) ? await findBatch(tx, batch_id, tools.dayOf(tools.now())) : null;
    if (batch === null) throw new AppError('not_found', 'Upload not found');
    const { product_id, file_name } = batch;
    const act = planAct(batch);
    if (act.kind === 'void') await refuseCodes(tx, act.detail.note, [product_id]);
    const count = act.rows_total;
    if (count > expected)
      throw new AppError('count_changed', `More codes than you saw would change now: ${count}.`, { count });
    return { ...act, created_by, batch_id, file_name, product_ids: [product_id] };
  };
  return startBulk<Act['detail']>(db, plan, tools);
}

// Number of codes in one step. A step locks its codes. Claims skip locked codes, so learners do not wait for a step.
const STEP_CODES = 1_000;
const endOf = (codes: number): Step['ends'] => (codes < STEP_CODES ? 'done' : null);

export const VOID: Bulk<acts.VoidDetail> = {
  step: (tx, act, tools) => changeStock(tx, act, (shared) => voidStep(tx, act, { ...tools, shared })),
  report: ({ detail: { reason, note, kept = 0, ...detail }, ...act }) => {
    const voided = act.success - (detail.audited ?? 0);
    // A job that changed nothing writes no audit line. There is one exception: all codes stay free because other
    // batches contain them too.
    if (voided === 0 && (kept === 0 || act.success > 0)) return null;
    const told = { voided, reason, ...(note && { note }), ...(kept && { kept }) };
    return reportOf(act, 'batch.void', { expected: detail.expected, ...told });
  },
};

export const USE_BY: Bulk<acts.UseByDetail> = {
  step: (tx, act, tools) => changeStock(tx, act, () => dateStep(tx, act, tools)),
  report: ({ detail: { use_by, expected, audited = 0 }, ...act }) => {
    const changed = act.success - audited;
    return changed === 0 ? null : reportOf(act, 'batch.use_by', { expected, changed, use_by });
  },
};

const productOf = ({ product_ids: [product_id = ''] }: Pick<BulkJob, 'product_ids'>) => product_id;

/**
 * Locks the product, so that no other step that changes codes of this product runs at the same time. Then runs `step`.
 */
async function changeStock(tx: Db, act: BulkJob, step: (shared: boolean) => Promise<Step>): Promise<Step> {
  const product_id = productOf(act);
  const { shared } = await lockStock(tx, product_id);
  const done = await step(shared);
  await recordClaimPlaces(tx, product_id);
  return done;
}

function reportOf(act: Omit<BulkJob, 'detail'>, action: string, detail: object) {
  const { id: import_id, batch_id, created_by: actor, success: changes } = act;
  const about = { product_id: productOf(act), batch_id: batch_id ?? '' };
  return { changes, line: { actor, action, ...about, detail: { batch_id, import_id, ...detail } } };
}

async function voidStep(
  tx: Db,
  act: BulkJob<acts.VoidDetail>,
  { shared, now, dayOf }: Clock & { shared: boolean },
): Promise<Step> {
  const { created_by: actor, detail } = act;
  const batch_id = act.batch_id ?? '';
  const { reason, phase, after } = detail;
  const at = now();
  const isMistake = reason === 'mistake';
  if (shared) {
    const texts = await acts.listTextsOfBatch(tx, batch_id);
    const going = texts.filter(({ is_named }) => !isMistake || !is_named);
    const codes = going.map(({ coupon_code }) => coupon_code);
    const count = await voidSharedCodes(tx, { actor, reason, at, product_id: productOf(act), codes });
    return { changed: count, detail: { kept: texts.length - going.length }, ends: 'done' };
  }
  const step = { batch_id, after, limit: STEP_CODES };
  if (isMistake) {
    const { count, kept, last } = await acts.undoNextOfBatch(tx, step, actor, at, dayOf(at));
    const ends = endOf(count + kept);
    return { changed: count, detail: { kept: (detail.kept ?? 0) + kept, after: last }, ends };
  }
  let count = 0;
  if (phase !== 'void') {
    const free = await acts.voidNextOfBatch(tx, step, actor, at);
    if (free.count === STEP_CODES) return { changed: free.count, detail: { after: free.last }, ends: null };
    count = free.count;
  }
  // The second phase only changes the reason of void codes, so these codes do not count as voided.
  const second = { ...step, after: phase === 'void' ? after : '0' };
  const dead = await acts.markNextOfBatchDead(tx, second, actor, at);
  return { changed: count, detail: { phase: 'void', after: dead.last }, ends: endOf(dead.count) };
}

async function dateStep(tx: Db, act: BulkJob<acts.UseByDetail>, { now, dayOf }: Clock): Promise<Step> {
  const { batch_id, created_by: actor, detail } = act;
  const { phase, after } = detail;
  const at = now();
  const use_by = detail.use_by ?? 'infinity';
  const today = dayOf(at);
  const isAhead = detail.use_by === null || detail.use_by > today;
  const step = { batch_id: batch_id ?? '', after, limit: STEP_CODES };
  if (!isAhead) {
    const { count, last } = await acts.expireNextOfBatch(tx, step, use_by, actor, at, today);
    if (count > 0) await countExpired(tx, { product_id: productOf(act), day: use_by, codes: count });
    return { changed: count, detail: { after: last }, ends: endOf(count) };
  }
  const work = phase === 'free' ? acts.dateNextOfBatch : acts.freeNextOfBatch;
  const { count, last } = await work(tx, step, use_by);
  if (phase === 'free' && count < STEP_CODES)
    return { changed: count, detail: { phase: 'expired', after: '0' }, ends: null };
  return { changed: count, detail: { after: last }, ends: endOf(count) };
}
