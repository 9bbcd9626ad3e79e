// SQL of jobs that work on many rows in steps: files, acts on batches, acts on people, taking back. Each is a row of
// import_job.
import type { Db } from '../db/database.ts';

/**
 * A job of a kind. `detail` has its parameters and its progress; `audited` is the number of changes that lines of the log
 * contain already. `success` is the number of changed rows. All other columns are null or empty if the kind has none.
 */
export type BulkJob<Detail = unknown> = {
  id: string;
  kind: string;
  state: string;
  created_by: string;
  product_ids: string[];
  batch_id: string | null;
  cohort_id: string | null;
  starts_on: string | null;
  ends_on: string | null;
  /** The number of rows that the steps have looked at. */
  rows_done: number;
  success: number;
  detail: Detail & { audited: number };
};

/** `rows_total` is the number of rows that the job will look at, as far as it is known. */
export type NewBulkJob<Detail = unknown> = Pick<BulkJob, 'kind' | 'created_by'> &
  Partial<Pick<BulkJob, 'product_ids' | 'batch_id' | 'cohort_id' | 'starts_on' | 'ends_on'>> & {
    file_name?: string | null;
    rows_total: number;
    detail: Detail;
  };

/** Adds a job that nobody runs yet. */
export async function createBulkJob(db: Db, id: string, job: NewBulkJob): Promise<void> {
  // A constraint requires a source in each running row of import_job. These jobs have no file, so it is empty.
  await db.query(
    `insert into import_job (id, kind, created_by, product_ids, batch_id, cohort_id, starts_on, ends_on, file_name,
       rows_total, source, detail)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, '', $11::jsonb || '{"audited": 0}')`,
    [
      ...[id, job.kind, job.created_by, job.product_ids ?? [], job.batch_id ?? null, job.cohort_id ?? null],
      ...[job.starts_on ?? null, job.ends_on ?? null, job.file_name ?? null, job.rows_total],
      JSON.stringify(job.detail),
    ],
  );
}

/** Returns the job with this id, or null. */
export async function findBulkJob(db: Db, id: string): Promise<BulkJob | null> {
  const { rows } = await db.query<BulkJob>(
    `select id, kind, state, created_by, product_ids, batch_id, cohort_id, starts_on, ends_on, rows_done, success, detail
     from import_job where id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

/**
 * Returns the job with this id, which runs or whose file is being checked, and locks it until the transaction ends. Null
 * if it does not run any more.
 */
export async function lockBulkJob(db: Db, id: string): Promise<BulkJob | null> {
  const { rows } = await db.query<BulkJob>(
    `select id, kind, state, created_by, product_ids, batch_id, cohort_id, starts_on, ends_on, rows_done, success, detail
     from import_job where id = $1 and state in ('running', 'checking') for update`,
    [id],
  );
  return rows[0] ?? null;
}

/** How the rows of a step ended. `product_access` is the number of new grants, `already` that of people who were members. */
type Counts = {
  failures: number;
  duplicates: number;
  product_access: number;
  generated: number;
  joined: number;
  already: number;
};

/**
 * What a step did: the rows that it has looked at (`changed`, if it does not say so) and changed, the fields of the
 * job's detail that it has set, and the state in which the job ends with it; null if the job goes on.
 */
export type Step = Partial<Counts> & {
  looked?: number;
  changed: number;
  ends: 'done' | 'checked' | null;
  detail: object;
};

/**
 * Adds the result of a step. If the job ends, `rows_total`, which was an estimate, becomes the number of rows. If it is
 * done, its file is deleted.
 */
export async function addStep(
  db: Db,
  id: string,
  { changed, looked = changed, detail, ends, ...counts }: Step,
): Promise<void> {
  await db.query(
    `update import_job set rows_done = rows_done + $2, success = success + $3, failures = failures + $4,
       duplicates = duplicates + $5, product_access = product_access + $6, generated = generated + $7,
       joined = joined + $8, already = already + $9, worked_at = now(), detail = detail || $10::jsonb,
       state = coalesce($11, state), source = case when $11 = 'done' then null else source end,
       rows_total = case when $11 is null then greatest(rows_total, rows_done + $2) else rows_done + $2 end
     where id = $1`,
    [
      ...[id, looked, changed, counts.failures ?? 0, counts.duplicates ?? 0, counts.product_access ?? 0],
      ...[counts.generated ?? 0, counts.joined ?? 0, counts.already ?? 0, JSON.stringify(detail), ends],
    ],
  );
}

/** Notes how many changes of the job lines of the log contain. */
export async function setAudited(db: Db, id: string, audited: number): Promise<void> {
  await db.query(
    `update import_job set detail = detail || jsonb_build_object('audited', $2::int) where id = $1`,
    [id, audited],
  );
}
