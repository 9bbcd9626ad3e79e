// Stores work on many rows: uploads of files, bulk actions on codes and on people, and what undoes an upload. Each is a
// row of bulk_job, with its progress and its state as staff see it.
import { setImmediate } from 'node:timers/promises';
import { type CsvKind, csvKinds, type FoundColumns, type ImportState, type JobState } from '@portal/contract';
import type { Db } from '../db/database.ts';
import { idOfCursor, type Page, type Total } from '../db/prefix-search.sql.ts';

/**
 * Work of a kind. `detail` has its parameters and its progress; `audited` is the number of changes that lines of the log
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

/**
 * `rows_total` is the number of rows that the job will look at, as far as it is known. Work without a file has an empty
 * `source`, which is the default: a constraint requires a source in each row that runs.
 */
export type NewBulkJob<Detail = unknown> = Pick<BulkJob, 'kind' | 'created_by'> &
  Partial<Pick<BulkJob, 'product_ids' | 'batch_id' | 'cohort_id' | 'starts_on' | 'ends_on'>> & {
    state?: 'running' | 'checking' | 'refused';
    file_name?: string | null;
    source?: string | null;
    source_id?: string | null;
    reason?: string;
    rows_total: number;
    detail: Detail;
  };

/** Adds a job that nobody runs yet. Returns false if a job with this id exists already. */
export async function createBulkJob(db: Db, id: string, job: NewBulkJob): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into bulk_job (id, kind, state, created_by, product_ids, batch_id, cohort_id, starts_on, ends_on, file_name,
       source, source_id, reason, rows_total, detail)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) on conflict do nothing`,
    [
      ...[id, job.kind, job.state ?? 'running', job.created_by, job.product_ids ?? [], job.batch_id ?? null],
      ...[job.cohort_id ?? null, job.starts_on ?? null, job.ends_on ?? null, job.file_name ?? null],
      ...[job.source === undefined ? '' : job.source, job.source_id ?? null, job.reason ?? null],
      ...[job.rows_total, JSON.stringify(job.detail)],
    ],
  );
  return rowCount === 1;
}

/** Returns the job with this id, or null. */
export async function findBulkJob(db: Db, id: string): Promise<BulkJob | null> {
  const { rows } = await db.query<BulkJob>(
    `select id, kind, state, created_by, product_ids, batch_id, cohort_id, starts_on, ends_on, rows_done, success, detail
     from bulk_job where id = $1`,
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
     from bulk_job where id = $1 and state in ('running', 'checking') for update`,
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
    `update bulk_job set rows_done = rows_done + $2, success = success + $3, failures = failures + $4,
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
    `update bulk_job set detail = detail || jsonb_build_object('audited', $2::int) where id = $1`,
    [id, audited],
  );
}

export type ImportJob = {
  id: string;
  kind: CsvKind;
  product_ids: string[];
  created_by: string;
  /** 'checking' while the rows of a file are checked, which staff see as 'running'. */
  state: ImportState['state'] | 'checking';
  /** The text of the file; null when the import has ended. `readSource` returns the text. */
  source: string | null;
  /** The id of the pieces of the text; null if `source` is the whole text. */
  source_id: string | null;
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
  /** Number of rows of the file. */
  rows_total: number;
  detail: ImportDetail;
};

/**
 * What an import of a CSV file knows of its file. `columns`, `header` and `blanks` are what staff said (`CsvOptions`).
 * `found` are the columns that the portal recognised. Imports of older versions have none of these.
 */
export type ImportDetail = {
  columns?: Record<string, number | undefined> | undefined;
  header?: boolean | undefined;
  blanks?: 'skip' | 'generate' | undefined;
  /** Which comes first in days such as 03/04/2026; missing if the file has no such day. */
  dates?: 'dmy' | 'mdy' | undefined;
  found?: FoundColumns;
  /** The names of the columns that are ignored (R-MAP-22). */
  ignored?: string[];
  /** Grants that existed and became longer (R-IMP-13). */
  lengthened?: number;
  /** The language in which people are told by mail what they get; missing if they are not told (R-INV-01). */
  tell?: string | undefined;
  /** True while the file is only to be checked. */
  check?: true;
  /** app_user.id of the member of staff who uploaded the file. Missing for imports of older versions (R-IMP-46). */
  uploader?: string | undefined;
  /**
   * The hash of the file's text. Another upload with the same `import_id` is refused (N-321). Missing for imports of older
   * versions and for refused files.
   */
  sha256?: string | undefined;
};

export type SentUpload = Pick<ImportJob, 'product_ids' | 'created_by' | 'state' | 'cohort_id' | 'detail'> & {
  kind: string;
};

/** Returns what is known of the upload, or of the bulk action, with this id. Does not read its file. */
export async function findUpload(db: Db, id: string): Promise<SentUpload | null> {
  const { rows } = await db.query<SentUpload>(
    'select kind, product_ids, created_by, state, cohort_id, detail from bulk_job where id = $1',
    [id],
  );
  return rows[0] ?? null;
}

export async function findImport(db: Db, id: string): Promise<ImportJob | null> {
  const { rows } = await db.query<ImportJob>(
    `select id, kind, product_ids, created_by, state, source, source_id, batch_id, starts_on, ends_on, cohort_id,
       rows_done, rows_total, detail
     from bulk_job where id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

/**
 * Locks an import until the transaction ends. Returns false if the import is neither running nor failed, and its file is
 * not being checked.
 */
export async function lockImport(db: Db, id: string): Promise<boolean> {
  const { rows } = await db.query(
    "select 1 from bulk_job where id = $1 and state in ('running', 'checking', 'failed') for update",
    [id],
  );
  return rows.length > 0;
}

/**
 * Updates the statistics of the query planner. On the embedded engine, nothing else updates them, because this engine
 * has no autovacuum. Each table has its own statement, so that other calls wait only for one of them.
 */
export async function analyseTables(db: Db): Promise<void> {
  for (const table of ['app_user', 'product', 'access_grant', 'coupon', 'cohort_member']) {
    await db.execute(`analyze ${table}`);
    await setImmediate();
  }
}

/**
 * Sets the state of an import that is not done. If the new state is 'cancelled', deletes the file. If the file was only to
 * be checked, the state 'running' means that it is checked again.
 */
export async function setImportState(
  db: Db,
  id: string,
  state: 'running' | 'failed' | 'cancelled',
  reason: string | null,
): Promise<void> {
  await db.query(
    `update bulk_job set state = case when $2 = 'running' and detail ? 'check' then 'checking' else $2 end, reason = $3, source = case when $2 <> 'cancelled' then source end
     where id = $1 and state in ('running', 'checking', 'failed')`,
    [id, state, reason],
  );
}

/** Notes whether the import or check of a file waits for another file. */
export async function setImportWaits(db: Db, id: string, waits: boolean): Promise<void> {
  await db.query(
    `update bulk_job set detail = case when $2 then detail || '{"waits": true}' else detail - 'waits' end
     where id = $1 and detail ? 'waits' <> $2`,
    [id, waits],
  );
}

/** Enqueues a job for each running import that has no job and whose last progress is at least `idleSeconds` ago. */
export async function recoverImports(
  db: Db,
  place: readonly [string, number],
  { idleSeconds, now }: { idleSeconds: number; now: Date },
): Promise<void> {
  await db.query(
    `select enqueue_job('import', i.id::text, $1, $2, jsonb_build_object('about', file_name), 'waiting', $3, $3, false)
     from bulk_job i where state in ('running', 'checking') and worked_at <= now() - $4 * interval '1 second'
       and not exists (select from job where kind = 'import' and key = i.id::text and state <> 'cancelled')`,
    [...place, now.toISOString(), idleSeconds],
  );
}

/** Deletes the files of failed imports that can no longer be retried, because their job does not exist any more. */
export async function deleteSourcesWithoutJob(db: Db): Promise<void> {
  await db.query(
    `update bulk_job i set source = null where state = 'failed' and source is not null
       and not exists (select from job where kind = 'import' and key = i.id::text and state <> 'cancelled')`,
  );
}

// Key of the advisory lock of new checks. The number is arbitrary, but every process must use the same one.
const CHECKS_LOCK = 7_304_112;

/**
 * Returns how many files are being checked, or wait until staff import or discard them. Makes other calls of this
 * function wait until the transaction ends, so that two uploads together do not exceed the limit.
 */
export async function lockChecks(db: Db): Promise<number> {
  await db.query('select pg_advisory_xact_lock($1)', [CHECKS_LOCK]);
  const { rows } = await db.query<{ count: number }>(
    "select count(*)::int as count from bulk_job where state in ('checking', 'checked')",
  );
  return rows[0]?.count ?? 0;
}

/** Forgets what an interrupted check has found, because a check begins with the first row again. */
export async function restartCheck(db: Db, id: string): Promise<void> {
  const { rowCount } = await db.query(
    `update bulk_job set rows_done = 0, failures = 0, worked_at = now() where id = $1 and state = 'checking'`,
    [id],
  );
  if (rowCount > 0) await deleteRows(db, id);
}

export type CheckedFile = {
  kind: CsvKind;
  product_ids: string[];
  cohort_id: string | null;
  file_name: string | null;
  rows_total: number;
};

/** Returns the checked file with this id and locks it until the transaction ends. Null if there is none. */
export async function lockChecked(db: Db, id: string): Promise<CheckedFile | null> {
  const { rows } = await db.query<CheckedFile>(
    `select kind, product_ids, cohort_id, file_name, rows_total from bulk_job where id = $1 and state = 'checked' for update`,
    [id],
  );
  return rows[0] ?? null;
}

/** Turns a checked file into a running import. The file keeps its preview. `actor` is who imports it. */
export async function beginImport(
  db: Db,
  id: string,
  { actor, batch_id }: { actor: string; batch_id: string | null },
): Promise<void> {
  await deleteRows(db, id);
  await db.query(
    `update bulk_job set state = 'running', rows_done = 0, failures = 0, created_by = $2, batch_id = $3,
       worked_at = now(), detail = detail - 'sample' - 'check'
     where id = $1`,
    [id, actor, batch_id],
  );
}

/** Deletes a checked file. */
export async function deleteChecked(db: Db, id: string): Promise<void> {
  await db.query("delete from bulk_job where id = $1 and state = 'checked'", [id]);
}

/** Deletes the files that were checked before this moment and not imported since (R-IMP-03). */
export async function deleteOldChecks(db: Db, before: Date): Promise<void> {
  await db.query("delete from bulk_job where state = 'checked' and worked_at < $1", [before]);
}

/** Deletes a refused upload, so that a file may be uploaded with its id. */
export async function deleteRefused(db: Db, id: string): Promise<void> {
  await db.query("delete from bulk_job where id = $1 and state = 'refused'", [id]);
}

async function deleteRows(db: Db, id: string): Promise<void> {
  await db.query('delete from import_error where import_id = $1', [id]);
}

// The state of a job. $1: the number of invalid rows that are named. `cursor` is the position in lists: the microsecond at
// which the job was added. An upload of codes whose free codes staff made void as a mistake is taken back (R-IMP-10).
const STATE = `
  select (extract(epoch from j.created_at) * 1000000)::bigint::text as cursor, j.id, j.kind, j.file_name,
    case when j.state = 'checking' then 'running'
      when j.kind = 'coupons' and j.state in ('done', 'cancelled') and exists (
        select from bulk_job v where v.batch_id = j.batch_id and v.kind = 'void' and v.state = 'done'
          and v.detail ->> 'reason' = 'mistake') then 'taken_back'
      else j.state end as state,
    j.state = 'checking' as checking, j.state in ('running', 'checking') and j.detail ? 'waits' as waits,
    case when j.kind = 'coupons' then j.product_ids[1] end as product_id, j.batch_id,
    j.detail -> 'preview' as preview, j.detail -> 'sample' as sample, j.rows_done, j.rows_total, j.created_at, j.created_by,
    j.failures as errors_count, j.reason, j.detail ->> 'reason' as void_reason, j.detail ->> 'act' as act,
    j.detail ->> 'undoes' as undoes, j.detail -> 'found' as found, coalesce(j.detail -> 'ignored', '[]') as ignored,
    j.detail ->> 'uploader' as uploader,
    case when j.state in ('running', 'checking', 'checked', 'refused') then null
      when j.kind in ('void', 'use_by') then jsonb_build_object(
        case j.kind when 'void' then 'voided' else 'changed' end, j.success,
        'handed_out_meanwhile', case when j.state = 'done' then greatest(
          (j.detail ->> 'expected')::bigint - j.success - coalesce((j.detail ->> 'kept')::int, 0), 0) else 0 end)
        || case when j.kind = 'void'
             then jsonb_build_object('kept', coalesce((j.detail ->> 'kept')::int, 0)) else '{}' end
      when j.kind = 'undo' then jsonb_build_object('people', j.detail -> 'people', 'grants', j.detail -> 'grants',
        'left', j.detail -> 'left', 'products', j.detail -> 'products')
      when j.kind = 'act' then jsonb_build_object('changed', j.success, 'total', j.rows_done,
        'full', coalesce((j.detail ->> 'full')::int, 0))
      else jsonb_build_object('success', j.success, 'failures', j.failures, 'duplicates', j.duplicates,
        'productAccess', j.product_access, 'generated', j.generated, 'total', j.rows_done)
        || case when j.kind = 'users' and j.cohort_id is not null
             then jsonb_build_object('joined', j.joined, 'already', j.already) else '{}' end end as results,
    coalesce((
      select jsonb_agg(jsonb_build_object('row', e.row, 'message', e.message, 'content', e.content) order by e.row)
      from (
        select row, message, left(rtrim(array_to_string(cells, ', '), ', '), 200) as content
        from import_error where import_id = j.id order by row limit $1) e), '[]') as errors
  from bulk_job j`;

/** What the server knows of an upload beside its state. `uploader` is app_user.id, or null for older imports. */
export type WithUploader = { uploader: string | null };

/**
 * Returns the state of the import, or of the act on a batch, with this id. The state contains the first invalid rows,
 * at most `named`. Returns null if there is no import or act with this id.
 */
export async function findJobState(
  db: Db,
  id: string,
  named: number,
): Promise<(JobState & WithUploader) | null> {
  const { rows } = await db.query<JobState & WithUploader>(`${STATE} where j.id = $2`, [named, id]);
  return rows[0] ?? null;
}

/** True for the state of an import of a file, and false for that of an act. */
export function isImport<More>(state: JobState & More): state is ImportState & More {
  return state.kind in csvKinds;
}

/** Like `findJobState`, but also returns null for an act on a batch. */
export async function findImportState(
  db: Db,
  id: string,
  named: number,
): Promise<(ImportState & WithUploader) | null> {
  const state = await findJobState(db, id, named);
  return state !== null && isImport(state) ? state : null;
}

/**
 * Selects the imports of one kind of file; without `kind`, all. With `product_id`, a UUID, only files of codes of this
 * product. Imports before `since` are left out.
 */
export type ImportFilter = { kind?: CsvKind | undefined; product_id?: string | undefined; since: Date };

/**
 * Returns one page of the states of imports, newest first. Each state contains the first invalid rows, at most `named`.
 */
export async function listImportStates(
  db: Db,
  { kind, product_id, since, limit, after, named }: ImportFilter & Page & { named: number },
): Promise<(ImportState & WithUploader & { cursor: string })[]> {
  const { rows } = await db.query<ImportState & WithUploader & { cursor: string }>(
    `${STATE}
     where j.kind in ('products', 'users', 'coupons') and ($2::text is null or j.kind = $2) and j.created_at > $3
       and ($6::uuid is null or (j.kind = 'coupons' and j.product_ids = array[$6::uuid]))
       and (extract(epoch from j.created_at) * 1000000)::bigint < coalesce($4::bigint, 9223372036854775807)
     order by j.created_at desc limit $5`,
    [named, kind ?? null, since, idOfCursor(after), limit, product_id ?? null],
  );
  return rows;
}

/** Returns how many imports all pages of `listImportStates` contain together. */
export async function countImports(db: Db, { kind, product_id, since }: ImportFilter): Promise<Total> {
  const { rows } = await db.query<{ total: number }>(
    `select count(*)::int as total from bulk_job j
     where j.kind in ('products', 'users', 'coupons') and ($1::text is null or j.kind = $1) and j.created_at > $2
       and ($3::uuid is null or (j.kind = 'coupons' and j.product_ids = array[$3::uuid]))`,
    [kind ?? null, since, product_id ?? null],
  );
  return { total: rows[0]?.total ?? 0, atLeast: false };
}
