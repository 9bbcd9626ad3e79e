// SQL of jobs that change many rows in steps: acts on batches, acts on people, taking back. Each is a row of import_job.
import type { Db } from '../db/database.ts';

/**
 * A job of a kind. `detail` has its parameters and its progress; `audited` is the number of changes that lines of the log
 * contain already. `success` is the number of changed rows. All other columns are null or empty if the kind has none.
 */
export type BulkJob<Detail = unknown> = {
  id: string;
  kind: string;
  created_by: string;
  product_ids: string[];
  batch_id: string | null;
  cohort_id: string | null;
  starts_on: string | null;
  ends_on: string | null;
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

/** Returns the job with this id, or null. Also returns an import of a file, whose `detail` is another one. */
export async function findBulkJob(db: Db, id: string): Promise<BulkJob | null> {
  const { rows } = await db.query<BulkJob>(
    `select id, kind, created_by, product_ids, batch_id, cohort_id, starts_on, ends_on, success, detail
     from import_job where id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

/** Returns the running job with this id, and locks it until the transaction ends. Null if it does not run any more. */
export async function lockBulkJob(db: Db, id: string): Promise<BulkJob | null> {
  const { rows } = await db.query<BulkJob>(
    `select id, kind, created_by, product_ids, batch_id, cohort_id, starts_on, ends_on, success, detail
     from import_job where id = $1 and state = 'running' for update`,
    [id],
  );
  return rows[0] ?? null;
}

/**
 * Adds the result of a step: the numbers of rows that it has looked at and changed, and the new values of fields of
 * `detail`. If `ends` is true, also marks the job as done.
 */
export async function addToBulkJob(
  db: Db,
  id: string,
  { looked, changed, detail, ends }: { looked: number; changed: number; detail: object; ends: boolean },
): Promise<void> {
  await db.query(
    `update import_job set rows_done = rows_done + $2, success = success + $3, worked_at = now(),
       detail = detail || $4::jsonb, state = case when $5 then 'done' else state end,
       source = case when $5 then null else source end,
       rows_total = case when $5 then rows_done + $2 else greatest(rows_total, rows_done + $2) end
     where id = $1`,
    [id, looked, changed, JSON.stringify(detail), ends],
  );
}

/** Notes how many changes of the job lines of the log contain. */
export async function setAudited(db: Db, id: string, audited: number): Promise<void> {
  await db.query(
    `update import_job set detail = detail || jsonb_build_object('audited', $2::int) where id = $1`,
    [id, audited],
  );
}
