// Stores the acts on batches, which are rows of import_job, and their steps: making codes void, setting their last day.
import { sqlColumns } from '../db/columns.ts';
import type { Db } from '../db/database.ts';
import { IN_BATCH } from './batches.ts';
import type { VoidReason } from './voids.ts';

/**
 * What an act does, and how far it has come. `expected`: number of codes that staff saw before they confirmed. `after`:
 * id of the last code that is done in the present phase. `audited`: number of codes that audit lines name.
 */
type Progress = { expected: number; after: string; audited: number };
export type VoidDetail = Progress & { reason: Exclude<VoidReason, 'expired'>; note: string | null };
/** `use_by` is null for no last day. Expired codes follow after the free ones, in a phase of their own. */
export type UseByDetail = Progress & { use_by: string | null; phase: 'free' | 'expired' };

type Act = {
  id: string;
  product_ids: string[];
  created_by: string;
  batch_id: string;
};
export type BatchAct = Act & { state: string; rows_done: number; success: number } & (
    | { kind: 'void'; detail: VoidDetail }
    | { kind: 'use_by'; detail: UseByDetail }
  );

type NewAct = Act & {
  kind: 'void' | 'use_by';
  file_name: string | null;
  rows_total: number;
  source: string;
  detail: string;
};
const NEW_ACT = sqlColumns<NewAct>({
  id: true,
  product_ids: true,
  created_by: true,
  batch_id: true,
  kind: true,
  file_name: true,
  rows_total: true,
  source: true,
  detail: true,
});

/** Adds an act that is to run. */
export async function createBatchAct(
  db: Db,
  { detail, ...act }: Omit<NewAct, 'detail' | 'source'> & { detail: VoidDetail | UseByDetail },
): Promise<void> {
  // A running job has a source; an act needs none.
  const values = NEW_ACT.valuesOf({ ...act, source: '', detail: JSON.stringify(detail) });
  await db.query(`insert into import_job (${NEW_ACT.list}) values (${NEW_ACT.params})`, values);
}

/** Returns an act, or null if there is none with this id. */
export async function findBatchAct(db: Db, id: string): Promise<BatchAct | null> {
  const { rows } = await db.query<BatchAct>(
    `select id, kind, product_ids, created_by, state, batch_id, rows_done, success, detail from import_job
     where id = $1 and kind in ('void', 'use_by')`,
    [id],
  );
  return rows[0] ?? null;
}

/** Adds a step to the progress of an act. `ends`: the act is done. */
export async function addToBatchAct(
  db: Db,
  id: string,
  { count, detail, ends }: { count: number; detail: Partial<UseByDetail>; ends: boolean },
): Promise<void> {
  await db.query(
    `update import_job set rows_done = rows_done + $2, success = success + $2, worked_at = now(),
       detail = detail || $3::jsonb, state = case when $4 then 'done' else state end,
       source = case when $4 then null else source end,
       rows_total = case when $4 then rows_done + $2 else greatest(rows_total, rows_done + $2) end
     where id = $1`,
    [id, count, JSON.stringify(detail), ends],
  );
}

export async function setActAudited(db: Db, id: string, audited: number): Promise<void> {
  await db.query(
    `update import_job set detail = detail || jsonb_build_object('audited', $2::int) where id = $1`,
    [id, audited],
  );
}

/** A step: at most `limit` codes of a batch, in the order of their ids after `after`. */
type Step = { batch_id: string; after: string; limit: number };
/** Number of codes that a step has changed, and the largest of their ids; `after` if there was none. */
export type StepResult = { count: number; last: string };

const markNext = (which: string, changes: string) => `
  with next as (
    select id from coupon where batch_id = $1 and id > $2 and ${which} order by id limit $3 for update
  ), changed as (
    update coupon set ${changes} from next where coupon.id = next.id returning coupon.id
  )
  select count(*)::int as count, coalesce(max(id), $2)::text as last from changed`;
const VOID_NEXT = markNext(IN_BATCH.free, 'voided_by = $4, void_reason = $5, voided_at = $6');
const DATE_NEXT = markNext(IN_BATCH.free, 'use_by = $4');
const EXPIRE_NEXT = markNext(
  IN_BATCH.free,
  "use_by = $4, voided_by = $5, void_reason = 'expired', voided_at = $6",
);
const FREE_NEXT = markNext(
  `${IN_BATCH.void} and void_reason = 'expired'`,
  'use_by = $4, voided_by = null, void_reason = null, voided_at = null',
);

async function run(db: Db, statement: string, params: unknown[]): Promise<StepResult> {
  const { rows } = await db.query<StepResult>(statement, params);
  return rows[0] as StepResult;
}

/**
 * Makes the next free codes void. Waits for claims in progress: a code that such a claim assigns is passed over and does
 * not count towards the limit. So fewer codes than `limit` mean that the batch is done.
 */
export async function voidNextOfBatch(
  db: Db,
  { batch_id, after, limit }: Step,
  { actor, reason, at }: { actor: string; reason: VoidReason; at: Date },
): Promise<StepResult> {
  return run(db, VOID_NEXT, [batch_id, after, limit, actor, reason, at]);
}

/** Sets the last day of the next free codes; 'infinity' for none. The day must lie ahead. */
export async function dateNextOfBatch(
  db: Db,
  { batch_id, after, limit }: Step,
  use_by: string,
): Promise<StepResult> {
  return run(db, DATE_NEXT, [batch_id, after, limit, use_by]);
}

/** Sets a last day that is over for the next free codes, and makes them void as expired. */
export async function expireNextOfBatch(
  db: Db,
  { batch_id, after, limit }: Step,
  { use_by, actor, at }: { use_by: string; actor: string; at: Date },
): Promise<StepResult> {
  return run(db, EXPIRE_NEXT, [batch_id, after, limit, use_by, actor, at]);
}

/** Makes the next expired codes free, with another last day, which must lie ahead (R-LIFE-19). */
export async function freeNextOfBatch(
  db: Db,
  { batch_id, after, limit }: Step,
  use_by: string,
): Promise<StepResult> {
  return run(db, FREE_NEXT, [batch_id, after, limit, use_by]);
}

/** Returns the texts of the codes of a batch with shared codes. */
export async function listTextsOfBatch(db: Db, batch_id: string): Promise<string[]> {
  const { rows } = await db.query<{ coupon_code: string }>(
    'select distinct coupon_code from coupon where batch_id = $1 and shared',
    [batch_id],
  );
  return rows.map(({ coupon_code }) => coupon_code);
}
