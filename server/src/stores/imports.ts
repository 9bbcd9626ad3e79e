// Stores imports: their file, progress and invalid rows.
import type { CsvKind, ImportState, JobState, RowError } from '@portal/contract';
import { sqlColumns } from '../db/columns.ts';
import type { Db } from '../db/database.ts';

export type ImportJob = {
  id: string;
  kind: CsvKind;
  product_ids: string[];
  created_by: string;
  state: ImportState['state'];
  source: string | null;
  batch_id: string | null;
  /**
   * `starts_on` and `ends_on` are the days of the grants that an import of users makes. If `starts_on` is null, the
   * grants start on the day of the import. Only older versions of the portal stored null.
   */
  starts_on: string | null;
  ends_on: string | null;
  /** The cohort that the people of the file join. */
  cohort_id: string | null;
  rows_done: number;
};

/** Numbers of rows in one batch of an import, by the outcome of the row. */
export type Tally = {
  rows: number;
  success: number;
  failures: number;
  duplicates: number;
  productAccess: number;
  generated: number;
  joined: number;
  already: number;
};

/** An invalid row of an import. `cells` are the texts of the row, in the order of `columnsOf` (read-csv.ts). */
export type InvalidRow = Omit<RowError, 'content'> & { cells: string[] };

type NewImport = Omit<ImportJob, 'state' | 'rows_done'> & { file_name: string | null; rows_total: number };
const NEW_IMPORT = sqlColumns<NewImport>({
  id: true,
  kind: true,
  file_name: true,
  product_ids: true,
  created_by: true,
  source: true,
  batch_id: true,
  starts_on: true,
  ends_on: true,
  cohort_id: true,
  rows_total: true,
});

/** Adds an import. Returns false if an import with this id exists already. */
export async function createImport(db: Db, job: NewImport): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into import_job (${NEW_IMPORT.list}) values (${NEW_IMPORT.params}) on conflict do nothing`,
    NEW_IMPORT.valuesOf(job),
  );
  return rowCount === 1;
}

export async function findImport(db: Db, id: string): Promise<ImportJob | null> {
  const { rows } = await db.query<ImportJob>(
    `select id, kind, product_ids, created_by, state, source, batch_id, starts_on, ends_on, cohort_id, rows_done
     from import_job where id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

/**
 * Locks an import until the transaction ends, so that two processes cannot import the same batch of rows. Returns true
 * if the import is running and has imported exactly `rows_done` rows. Returns false, for example, if another process
 * has already imported this batch.
 */
export async function lockImportAt(db: Db, id: string, rows_done: number): Promise<boolean> {
  const { rows } = await db.query<{ rows_done: number; state: string }>(
    'select rows_done, state from import_job where id = $1 for update',
    [id],
  );
  return rows[0]?.state === 'running' && rows[0].rows_done === rows_done;
}

/** Locks an import until the transaction ends. Returns false if the import is neither running nor failed. */
export async function lockImport(db: Db, id: string): Promise<boolean> {
  const { rows } = await db.query(
    "select 1 from import_job where id = $1 and state in ('running', 'failed') for update",
    [id],
  );
  return rows.length > 0;
}

export async function addToImport(db: Db, id: string, tally: Tally): Promise<void> {
  await db.query(
    `update import_job set rows_done = rows_done + $2, rows_total = greatest(rows_total, rows_done + $2),
       success = success + $3, failures = failures + $4, duplicates = duplicates + $5,
       product_access = product_access + $6, generated = generated + $7, joined = joined + $8, already = already + $9,
       worked_at = now()
     where id = $1`,
    [
      ...[id, tally.rows, tally.success, tally.failures, tally.duplicates, tally.productAccess],
      ...[tally.generated, tally.joined, tally.already],
    ],
  );
}

export async function createImportErrors(db: Db, id: string, errors: readonly InvalidRow[]): Promise<void> {
  await db.query(
    `insert into import_error (import_id, row, message, cells)
     select $1, (e ->> 'row')::int, e ->> 'message', array(select jsonb_array_elements_text(e -> 'cells'))
     from jsonb_array_elements($2::jsonb) as e`,
    [id, JSON.stringify(errors)],
  );
}

/**
 * Marks a running import as done and deletes its file. Until then, `rows_total` is an estimate; this function sets it
 * to the number of imported rows. Returns false if the import was not running.
 */
export async function finishImport(db: Db, id: string): Promise<boolean> {
  const { rows } = await db.query(
    `update import_job set state = 'done', source = null, rows_total = rows_done, worked_at = now()
     where id = $1 and state = 'running' returning id`,
    [id],
  );
  return rows.length > 0;
}

/**
 * Updates the statistics of the query planner after an import. On the embedded engine, nothing else updates them after
 * an import, because this engine has no autovacuum.
 */
export async function analyseTables(db: Db): Promise<void> {
  await db.query('analyze app_user, product, access_grant, coupon, cohort_member');
}

/** Sets the state of an import that is not done. If the new state is 'cancelled', deletes the file. */
export async function setImportState(
  db: Db,
  id: string,
  state: 'running' | 'failed' | 'cancelled',
  reason: string | null,
): Promise<void> {
  await db.query(
    `update import_job set state = $2, reason = $3, source = case when $2 <> 'cancelled' then source end
     where id = $1 and state <> 'done'`,
    [id, state, reason],
  );
}

/** Enqueues a job for each running import that has no job and whose last progress is at least `idleSeconds` ago. */
export async function adoptImports(
  db: Db,
  place: readonly [string, number],
  { idleSeconds, now }: { idleSeconds: number; now: Date },
): Promise<void> {
  await db.query(
    `select enqueue_job('import', i.id::text, $1, $2, jsonb_build_object('about', file_name), 'waiting', $3, $3, false)
     from import_job i where state = 'running' and worked_at <= now() - $4 * interval '1 second'
       and not exists (select from job where kind = 'import' and key = i.id::text and state <> 'cancelled')`,
    [...place, now.toISOString(), idleSeconds],
  );
}

/** Deletes the files of failed imports that can no longer be retried, because their job does not exist any more. */
export async function deleteSourcesWithoutJob(db: Db): Promise<void> {
  await db.query(
    `update import_job i set source = null where state = 'failed' and source is not null
       and not exists (select from job where kind = 'import' and key = i.id::text and state <> 'cancelled')`,
  );
}

const STATE = `
  select j.id, j.kind, j.file_name, j.state, j.rows_done, j.rows_total, j.created_at, j.created_by, j.failures as errors_count, j.reason,
    j.detail ->> 'reason' as void_reason, j.detail ->> 'act' as act,
    case when j.state = 'running' then null when j.kind in ('void', 'use_by') then jsonb_build_object(
      case j.kind when 'void' then 'voided' else 'changed' end, j.success, 'handed_out_meanwhile',
      case when j.state = 'done' then greatest((j.detail ->> 'expected')::bigint - j.success, 0) else 0 end)
    when j.kind = 'act' then jsonb_build_object('changed', j.success, 'total', j.rows_done)
    else jsonb_build_object('success', j.success, 'failures', j.failures,
      'duplicates', j.duplicates, 'productAccess', j.product_access,
      'generated', j.generated, 'total', j.rows_done)
      || case when j.kind = 'users' and j.cohort_id is not null
           then jsonb_build_object('joined', j.joined, 'already', j.already) else '{}' end end as results,
    coalesce((select jsonb_agg(jsonb_build_object('row', e.row, 'message', e.message, 'content', e.content) order by e.row) from (
      select row, message, left(rtrim(array_to_string(cells, ', '), ', '), 200) as content from import_error where import_id = j.id order by row limit $1) e), '[]') as errors
  from import_job j`;
const STATE_OF_ONE = `${STATE} where j.id = $2`;
const STATE_OF_LATEST = `${STATE} where j.kind not in ('void', 'use_by', 'act') order by j.created_at desc limit $2`;

/**
 * Returns the state of the import, or of the act on a batch or on people, with this id. The state contains the first invalid rows,
 * at most `named`. Returns null if there is no import or act with this id.
 */
export async function findJobState(db: Db, id: string, named: number): Promise<JobState | null> {
  const { rows } = await db.query<JobState>(STATE_OF_ONE, [named, id]);
  return rows[0] ?? null;
}

/** True for an import of a CSV file, false for another job. */
export function isImport(state: JobState): state is ImportState {
  return state.kind !== 'void' && state.kind !== 'use_by' && state.kind !== 'act';
}

/** Like `findJobState`, but also returns null for a job that is no import. */
export async function findImportState(db: Db, id: string, named: number): Promise<ImportState | null> {
  const state = await findJobState(db, id, named);
  return state !== null && isImport(state) ? state : null;
}

/**
 * Returns the states of the latest imports, newest first. Each state contains the first invalid rows, at most `named`.
 */
export async function listImportStates(
  db: Db,
  { limit, named }: { limit: number; named: number },
): Promise<ImportState[]> {
  const { rows } = await db.query<ImportState>(STATE_OF_LATEST, [named, limit]);
  return rows;
}

/**
 * Returns the invalid rows of an import whose row number is above `after`, at most `limit` of them, sorted by row
 * number.
 */
export async function listImportErrors(
  db: Db,
  id: string,
  after: number,
  limit: number,
): Promise<InvalidRow[]> {
  const { rows } = await db.query<InvalidRow>(
    'select row, message, cells from import_error where import_id = $1 and row > $2 order by row limit $3',
    [id, after, limit],
  );
  return rows;
}
