// Runs the job of an act on a batch of codes, in steps. The act makes the free codes void, or sets their last day.
import type { Database, Db } from '../db/database.ts';
import { countExpired } from '../features/codes/expiry.sql.ts';
import { restock } from '../features/codes/new-coupons.sql.ts';
import { voidSharedCodes } from '../features/codes/voids.sql.ts';
import { createAuditLine } from '../features/log/audit.sql.ts';
import { recordClaimPlaces } from '../features/redeem/claims.sql.ts';
import type { JobTools } from '../jobs/run-job.ts';
import * as acts from './batch-acts.sql.ts';
import type { WorkTools } from './give-way.ts';
import { lockImportAt } from './imports.sql.ts';
import { runSteps, type StepResult } from './run-steps.ts';

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
