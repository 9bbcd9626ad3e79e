// Acts on the free codes of a batch: they become void, or get another last day.

import type { BatchRecord, VoidReason } from '@portal/contract';
import { AppError } from '../app-error.ts';
import { type Database, type Db, isRowId } from '../db/database.ts';
import { findBatch, lockBatch, lockStock } from '../features/codes/batches.sql.ts';
import { refuseCodes } from '../features/codes/codes.ts';
import { countExpired, voidSharedCodes } from '../features/codes/void.sql.ts';
import { recordClaimPlaces } from '../features/redeem/redeem.sql.ts';
import * as acts from './batch-acts.sql.ts';
import type { BulkJob, Step } from './bulk-jobs.sql.ts';
import { type Bulk, startBulk, type UploadTools, type WorkTools } from './run-bulk.ts';

const START = { after: '0', phase: 'free' } as const;

type Order = { id: string; actor: string; expected: number };
type SeenUseBy = Pick<BatchRecord, 'use_by' | 'use_by_mixed'>;
type Batch = NonNullable<Awaited<ReturnType<typeof findBatch>>>;
type Act = { kind: 'void'; detail: acts.VoidDetail } | { kind: 'use_by'; detail: acts.UseByDetail };
type Tools = Pick<WorkTools, 'now' | 'dayOf'>;

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
  tools: UploadTools,
): Promise<string> {
  return start(
    db,
    order,
    ({ free }) => {
      const detail = { ...START, expected: order.expected, reason, note };
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
  tools: UploadTools,
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
      const detail = { ...START, expected: order.expected, use_by };
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

/** Starts the act that `planAct` returns for the batch. Returns the id of its job. */
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

// Number of codes in one step. A step locks its codes. Claims skip locked codes, so learners need not wait for a step.
const STEP_CODES = 1_000;
const endOf = (codes: number): Step['ends'] => (codes < STEP_CODES ? 'done' : null);

export const VOID: Bulk<acts.VoidDetail> = {
  step: (tx, act, tools) => changeStock(tx, act, (shared) => voidStep(tx, { ...act, shared }, tools)),
  report: ({ detail: { reason, note, kept = 0, ...detail }, ...act }) => {
    const voided = act.success - detail.audited;
    // If nothing was changed, there is nothing to tell, unless all codes stay because another batch names them.
    if (voided === 0 && (kept === 0 || act.success > 0)) return null;
    const told = { voided, reason, ...(note && { note }), ...(kept && { kept }) };
    return reportOf(act, 'batch.void', { expected: detail.expected, ...told });
  },
};

export const USE_BY: Bulk<acts.UseByDetail> = {
  step: (tx, act, tools) => changeStock(tx, act, () => dateStep(tx, act, tools)),
  report: ({ detail: { use_by, expected, audited }, ...act }) => {
    const changed = act.success - audited;
    return changed === 0 ? null : reportOf(act, 'batch.use_by', { expected, changed, use_by });
  },
};

/** Locks the product, so that no other step of it runs at the same time, and runs a step. */
async function changeStock(
  tx: Db,
  { product_ids: [product_id = ''] }: Pick<BulkJob, 'product_ids'>,
  step: (shared: boolean) => Promise<Step>,
): Promise<Step> {
  const { shared } = await lockStock(tx, product_id);
  const done = await step(shared);
  await recordClaimPlaces(tx, product_id);
  return done;
}

function reportOf(act: Omit<BulkJob, 'detail'>, action: string, detail: object) {
  const { id: import_id, batch_id, product_ids, created_by: actor, success: changes } = act;
  const about = { product_id: product_ids[0] ?? '', batch_id: batch_id ?? '' };
  return { changes, line: { actor, action, ...about, detail: { batch_id, import_id, ...detail } } };
}

async function voidStep(
  tx: Db,
  {
    batch_id: batch,
    product_ids: [product_id = ''],
    created_by: actor,
    detail,
    shared,
  }: BulkJob<acts.VoidDetail> & { shared: boolean },
  { now, dayOf }: Tools,
): Promise<Step> {
  const batch_id = batch ?? '';
  const { reason, phase, after } = detail;
  const marking = { actor, reason, at: now() };
  const isMistake = reason === 'mistake';
  if (shared) {
    const texts = await acts.listTextsOfBatch(tx, batch_id);
    const going = texts.filter(({ is_named }) => !isMistake || !is_named);
    const codes = going.map(({ coupon_code }) => coupon_code);
    const count = await voidSharedCodes(tx, { ...marking, product_id, codes });
    return { changed: count, detail: { kept: texts.length - going.length }, ends: 'done' };
  }
  const step = { batch_id, after, limit: STEP_CODES };
  if (isMistake) {
    const by = { ...marking, today: dayOf(marking.at) };
    const { count, kept, last } = await acts.undoNextOfBatch(tx, step, by);
    const ends = endOf(count + kept);
    return { changed: count, detail: { kept: (detail.kept ?? 0) + kept, after: last }, ends };
  }
  let count = 0;
  if (phase !== 'void') {
    const free = await acts.voidNextOfBatch(tx, step, marking);
    if (free.count === STEP_CODES) return { changed: free.count, detail: { after: free.last }, ends: null };
    count = free.count;
  }
  // Codes that are void already do not count as voided.
  const dead = await acts.markNextOfBatchDead(
    tx,
    { ...step, after: phase === 'void' ? after : '0' },
    marking,
  );
  return { changed: count, detail: { phase: 'void', after: dead.last }, ends: endOf(dead.count) };
}

async function dateStep(
  tx: Db,
  { batch_id, product_ids: [product_id = ''], created_by: actor, detail }: BulkJob<acts.UseByDetail>,
  { now, dayOf }: Tools,
): Promise<Step> {
  const { phase, after } = detail;
  const at = now();
  const use_by = detail.use_by ?? 'infinity';
  const today = dayOf(at);
  const isAhead = detail.use_by === null || detail.use_by > today;
  const step = { batch_id: batch_id ?? '', after, limit: STEP_CODES };
  if (!isAhead) {
    const { count, last } = await acts.expireNextOfBatch(tx, step, { use_by, actor, at, today });
    if (count > 0) await countExpired(tx, { product_id, day: use_by, codes: count });
    return { changed: count, detail: { after: last }, ends: endOf(count) };
  }
  const work = phase === 'free' ? acts.dateNextOfBatch : acts.freeNextOfBatch;
  const { count, last } = await work(tx, step, use_by);
  if (phase === 'free' && count < STEP_CODES)
    return { changed: count, detail: { phase: 'expired', after: '0' }, ends: null };
  return { changed: count, detail: { after: last }, ends: endOf(count) };
}
