// Acts on the free codes of a batch: they become void, or get another last day.

import type { BatchRecord, VoidReason } from '@portal/contract';
import { AppError } from '../app-error.ts';
import type { Database, Db } from '../db/database.ts';
import { isRowId } from '../db/is-row-id.ts';
import { findBatch, lockBatch } from '../features/codes/batches.sql.ts';
import { countExpired } from '../features/codes/expiry.sql.ts';
import { restock } from '../features/codes/new-coupons.sql.ts';
import { refuseCodes } from '../features/codes/refuse-codes.ts';
import { voidSharedCodes } from '../features/codes/voids.sql.ts';
import { createAuditLine } from '../features/log/audit.sql.ts';
import { recordClaimPlaces } from '../features/redeem/claims.sql.ts';
import { enqueueRunningJob } from '../jobs/jobs.sql.ts';
import type { JobTools } from '../jobs/run-job.ts';
import * as acts from './batch-acts.sql.ts';
import { createBatchAct, type UseByDetail, type VoidDetail } from './batch-acts.sql.ts';
import { lockImportAt } from './imports.sql.ts';
import { runSteps, type StepResult, type WorkTools } from './run-bulk.ts';
import type { UploadTools } from './uploads.ts';

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

// Number of codes in one step. A step locks its codes. Claims skip locked codes, so learners need not wait for a step.
const STEP_CODES = 1_000;

/**
 * Runs the act, beginning after the codes that are done. Returns 'released' if the act is not done. The reasons: this
 * process stops, another process has claimed the job, or the act was cancelled.
 */
export function runBatchAct(
  db: Database,
  id: string,
  tools: WorkTools,
  jobTools: Pick<JobTools, 'renew'>,
): Promise<'released' | undefined> {
  const step = async (): Promise<StepResult> => {
    const act = await acts.findBatchAct(db, id);
    if (act?.state !== 'running') return 'gone';
    return db.transaction(async (tx) =>
      (await lockImportAt(tx, id, act.rows_done)) ? runStep(tx, act, tools) : 'released',
    );
  };
  return runSteps(step, tools, jobTools);
}

async function runStep(
  tx: Db,
  act: acts.BatchAct,
  tools: Pick<WorkTools, 'now' | 'dayOf'>,
): Promise<'ended' | 'goes on'> {
  const [product_id = ''] = act.product_ids;
  // `restock` also locks the product, so that no other step of this product runs at the same time.
  const { shared } = await restock(tx, product_id);
  const { count, ends, ...detail } = await (act.kind === 'void'
    ? voidStep(tx, { ...act, shared }, tools)
    : dateStep(tx, act, tools));
  await recordClaimPlaces(tx, product_id);
  await acts.addToBatchAct(tx, act.id, { count, detail, ends });
  if (ends) await auditBatchAct(tx, act.id);
  return ends ? 'ended' : 'goes on';
}

type Step = { count: number; ends: boolean } & Partial<acts.StepChanges>;
type ActOf<Kind> = Extract<acts.BatchAct, { kind: Kind }>;

async function voidStep(
  tx: Db,
  {
    batch_id,
    product_ids: [product_id = ''],
    created_by: actor,
    detail,
    shared,
  }: ActOf<'void'> & { shared: boolean },
  { now, dayOf }: Pick<WorkTools, 'now' | 'dayOf'>,
): Promise<Step> {
  const { reason, phase, after } = detail;
  const marking = { actor, reason, at: now() };
  const isMistake = reason === 'mistake';
  if (shared) {
    const texts = await acts.listTextsOfBatch(tx, batch_id);
    const going = texts.filter(({ is_named }) => !isMistake || !is_named);
    const codes = going.map(({ coupon_code }) => coupon_code);
    const count = await voidSharedCodes(tx, { ...marking, product_id, codes });
    return { count, kept: texts.length - going.length, ends: true };
  }
  const step = { batch_id, after, limit: STEP_CODES };
  if (isMistake) {
    const by = { ...marking, today: dayOf(marking.at) };
    const { count, kept, last } = await acts.takeBackNextOfBatch(tx, step, by);
    const ends = count + kept < STEP_CODES;
    return { count, kept: (detail.kept ?? 0) + kept, after: last, ends };
  }
  let count = 0;
  if (phase !== 'void') {
    const free = await acts.voidNextOfBatch(tx, step, marking);
    const isPhaseOver = free.count < STEP_CODES;
    if (!isPhaseOver) return { count: free.count, after: free.last, ends: isPhaseOver };
    count = free.count;
  }
  // Codes that are void already do not count as voided.
  const dead = await acts.markNextOfBatchDead(
    tx,
    { ...step, after: phase === 'void' ? after : '0' },
    marking,
  );
  return { count, phase: 'void', after: dead.last, ends: dead.count < STEP_CODES };
}

async function dateStep(
  tx: Db,
  { batch_id, product_ids: [product_id = ''], created_by: actor, detail }: ActOf<'use_by'>,
  { now, dayOf }: Pick<WorkTools, 'now' | 'dayOf'>,
): Promise<Step> {
  const { phase, after } = detail;
  const at = now();
  const use_by = detail.use_by ?? 'infinity';
  const today = dayOf(at);
  const isAhead = detail.use_by === null || detail.use_by > today;
  const step = { batch_id, after, limit: STEP_CODES };
  if (!isAhead) {
    const { count, last } = await acts.expireNextOfBatch(tx, step, { use_by, actor, at, today });
    if (count > 0) await countExpired(tx, { product_id, day: use_by, codes: count });
    return { count, after: last, ends: count < STEP_CODES };
  }
  const work = phase === 'free' ? acts.dateNextOfBatch : acts.freeNextOfBatch;
  const { count, last } = await work(tx, step, use_by);
  const isPhaseOver = count < STEP_CODES;
  if (phase === 'free' && isPhaseOver) return { count, phase: 'expired', after: '0', ends: false };
  return { count, after: last, ends: isPhaseOver };
}

/**
 * Writes the audit line of an act that is done, failed or cancelled. A failed act can be retried, and then has several
 * audit lines. So each line counts only the codes that no earlier line has counted. If there are none, no line is
 * written, unless all codes of the batch stay because another batch names them.
 */
export async function auditBatchAct(tx: Db, id: string): Promise<void> {
  const act = await acts.findBatchAct(tx, id);
  if (act === null) return;
  const { batch_id, product_ids, created_by: actor, success, detail } = act;
  const codes = success - detail.audited;
  const kept = act.kind === 'void' ? (act.detail.kept ?? 0) : 0;
  if (codes === 0 && (kept === 0 || success > 0)) return;
  await acts.setActAudited(tx, id, success);
  const what =
    act.kind === 'void'
      ? { voided: codes, reason: act.detail.reason, ...detailsOf(act.detail) }
      : { changed: codes, use_by: act.detail.use_by };
  await createAuditLine(tx, {
    actor,
    action: `batch.${act.kind}`,
    product_id: product_ids[0] ?? '',
    batch_id,
    detail: { batch_id, import_id: id, expected: detail.expected, ...what },
  });
}

const detailsOf = ({ note, kept }: acts.VoidDetail) => ({ ...(note && { note }), ...(kept && { kept }) });
