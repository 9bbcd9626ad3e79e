// Stores work on many rows: uploads of files, bulk actions on codes and on people, and the undo of uploads. Each work
// is one row of the table bulk_job, which also stores the progress.
import { setImmediate } from 'node:timers/promises';
import {
  type CsvKind,
  csvKinds,
  type FoundColumns,
  type ImportState,
  type JobState,
  type LeftOut,
  type Separator,
} from '@portal/contract';
import type { Db } from '../db/database.ts';
import { idOfCursor, type Page, type Total } from '../db/prefix-search.sql.ts';

/**
 * A row of bulk_job. `detail` has the parameters and the progress; its shape depends on `kind`. `detail.audited` is the
 * number of changes that the summaries of the job contain already. `detail.group` is the group of the job's next audit
 * lines; without it, the group is the id of the job. `success` is the number of changed rows. Columns that a kind does not
 * use are null or empty.
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
  /** The number of rows that the steps have processed, changed or not. */
  rows_done: number;
  rows_total: number;
  success: number;
  detail: Detail & { audited?: number; group?: string };
};

/**
 * `rows_total` is the number of rows that the job will process, or an estimate. `source` is the text of a file; the
 * default is '' for work without a file. A constraint of the table forbids null while the job runs.
 */
export type NewBulkJob<Detail = unknown> = Pick<BulkJob, 'kind' | 'created_by'> &
  Partial<Pick<BulkJob, 'product_ids' | 'batch_id' | 'cohort_id' | 'starts_on' | 'ends_on'>> & {
    state?: 'running' | 'checking' | 'refused';
    file_name?: string | null | undefined;
    source?: string | null;
    source_id?: string | null;
    reason?: string;
    rows_total: number;
    detail: Detail;
  };

/**
 * Adds the row of a job. The caller must enqueue the job that runs the work. Returns false if a row with this id exists
 * already.
 */
export async function createBulkJob<Detail>(db: Db, id: string, job: NewBulkJob<Detail>): Promise<boolean> {
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

const BULK_JOB =
  'id, kind, state, created_by, product_ids, batch_id, cohort_id, starts_on, ends_on, rows_done, rows_total, success, detail';

export async function findBulkJob<Detail>(db: Db, id: string): Promise<BulkJob<Detail> | null> {
  const { rows } = await db.query<BulkJob<Detail>>(`select ${BULK_JOB} from bulk_job where id = $1`, [id]);
  return rows[0] ?? null;
}

/** Does the same as `findBulkJob`, and locks the job until the transaction ends. */
export async function lockAnyBulkJob(db: Db, id: string): Promise<BulkJob | null> {
  const { rows } = await db.query<BulkJob>(`select ${BULK_JOB} from bulk_job where id = $1 for update`, [id]);
  return rows[0] ?? null;
}

/** Locks the job until the transaction ends, and returns it; null if the job does not run any more. */
export async function lockBulkJob<Detail>(db: Db, id: string): Promise<BulkJob<Detail> | null> {
  const { rows } = await db.query<BulkJob<Detail>>(
    `select ${BULK_JOB} from bulk_job where id = $1 and state in ('running', 'checking') for update`,
    [id],
  );
  return rows[0] ?? null;
}

/**
 * The result of a step. `looked` is the number of processed rows, `changed` the number of changed rows. Without
 * `looked`, both numbers are equal. `ends` is the state in which the job ends with this step; null if the job
 * continues. `detail` has the changed fields of the job's detail. `product_access` counts new grants. `already` counts
 * people who were members of the cohort before.
 */
export type Step = {
  looked?: number;
  changed: number;
  ends: 'done' | 'checked' | null;
  detail: object;
} & Partial<
  Record<'failures' | 'duplicates' | 'product_access' | 'generated' | 'joined' | 'already', number>
>;

/**
 * Adds the result of a step to its job. If the job ends, `rows_total` becomes the number of processed rows, because it
 * was only an estimate before. If the job is done, the text of its file is deleted.
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

/**
 * Stores in the job's detail what its audit lines contain so far. If staff retry a failed job, its next audit lines are a
 * new group, because each group has one summary.
 */
export async function endGroup(db: Db, id: string, told: { audited: number }): Promise<void> {
  await db.query(
    `update bulk_job set detail = detail || $2::jsonb || jsonb_build_object('group', gen_random_uuid()) where id = $1`,
    [id, JSON.stringify(told)],
  );
}

/**
 * An upload of a file. `starts_on` and `ends_on` are the days of the grants that an import of people makes. Only older
 * versions stored null in `starts_on`; such grants start on the day of the import.
 */
export type ImportJob = Pick<
  BulkJob,
  'id' | 'product_ids' | 'created_by' | 'batch_id' | 'cohort_id' | 'starts_on' | 'ends_on' | 'rows_done'
> & {
  kind: CsvKind;
  /** 'checking' while the portal checks the rows of the file. Staff then see the state 'running' (see STATE). */
  state: ImportState['state'] | 'checking';
  /** The text of the file; null when the import has ended. To read the text, call `readSource`. */
  source: string | null;
  /** The id of the pieces of the text in `import_source`; null if `source` is the whole text. */
  source_id: string | null;
  rows_total: number;
  detail: ImportDetail;
};

/**
 * The detail of an upload. `columns`, `header` and `blanks` are the options of staff (`CsvOptions`). `found` are the
 * columns that the portal recognised. Imports of older versions have none of these.
 */
export type ImportDetail = {
  columns?: Record<string, number | undefined> | undefined;
  header?: boolean | undefined;
  blanks?: 'skip' | 'generate' | undefined;
  /** The order of day and month in days such as 03/04/2026; missing if the file has no such day. */
  dates?: 'dmy' | 'mdy' | undefined;
  separator?: Separator | undefined;
  skip_lines?: number | undefined;
  found?: FoundColumns;
  /** The names of the columns that are ignored (R-MAP-22). */
  ignored?: string[];
  /** The lines of the file that are no data (R-MAP-14). */
  left_out?: LeftOut[];
  /** The number of grants that existed and became longer (R-IMP-13). */
  lengthened?: number;
  /** True if known people get the names of the file (R-MAP-24). */
  update_names?: boolean | undefined;
  /** The number of people whom the import added without a name, and of people who got a new name. */
  without_name?: number;
  renamed?: number;
  /** The language of the mails about new benefits (R-INV-01); missing if no mails are sent. */
  tell?: string | undefined;
  /** True while the rows of the file are only checked. Removed when staff start the import. */
  check?: true;
  /** app_user.id of the person who uploaded the file (R-IMP-46). Missing for imports of older versions. */
  uploader?: string | undefined;
  /**
   * The hash of the file's text. Another text with the same `import_id` is refused (N-321). Missing for imports of
   * older versions and for refused files.
   */
  sha256?: string | undefined;
};

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
 * Updates the statistics of the query planner. The embedded engine has no autovacuum, so nothing else updates these
 * statistics there. Each table has its own statement, so that other requests are served between the tables.
 */
export async function analyseTables(db: Db): Promise<void> {
  for (const table of ['app_user', 'product', 'access_grant', 'coupon', 'cohort_member']) {
    await db.execute(`analyze ${table}`);
    await setImmediate();
  }
}

/**
 * Sets the state of an import that runs, checks its file or has failed. Locks the import until the transaction ends.
 * Returns false for an import in another state, and changes nothing. 'cancelled' deletes the text of the file.
 * 'running' starts the work again: if a file was only to be checked, it is checked again.
 */
export async function setImportState(
  db: Db,
  id: string,
  state: 'running' | 'failed' | 'cancelled',
  reason: string | null,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update bulk_job set state = case when $2 = 'running' and detail ? 'check' then 'checking' else $2 end, reason = $3,
       source = case when $2 <> 'cancelled' then source end
     where id = $1 and state in ('running', 'checking', 'failed')`,
    [id, state, reason],
  );
  return rowCount > 0;
}

/** Stores whether the import or check of a file waits for another file. */
export async function setImportWaits(db: Db, id: string, waits: boolean): Promise<void> {
  await db.query(
    `update bulk_job set detail = case when $2 then detail || '{"waits": true}' else detail - 'waits' end
     where id = $1 and detail ? 'waits' <> $2`,
    [id, waits],
  );
}

/**
 * Enqueues a job for each running import that has no job and made no progress for `idleSeconds`. `place` is the lane
 * and the priority of the job.
 */
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

/** Deletes the texts of failed imports whose job does not exist any more, because nobody can retry these imports. */
export async function deleteSourcesWithoutJob(db: Db): Promise<void> {
  await db.query(
    `update bulk_job i set source = null where state = 'failed' and source is not null
       and not exists (select from job where kind = 'import' and key = i.id::text and state <> 'cancelled')`,
  );
}

// Key of the advisory lock for new checks: an arbitrary number, which must be the same in every process.
const CHECKS_LOCK = 7_304_112;

/**
 * Returns the number of files that are being checked, plus the number of checked files that staff have neither imported
 * nor discarded. Other calls of this function wait until the transaction ends, so that two concurrent uploads cannot
 * exceed the limit.
 */
export async function lockChecks(db: Db): Promise<number> {
  await db.query('select pg_advisory_xact_lock($1)', [CHECKS_LOCK]);
  const { rows } = await db.query<{ count: number }>(
    "select count(*)::int as count from bulk_job where state in ('checking', 'checked')",
  );
  return rows[0]?.count ?? 0;
}

/** Deletes the results of an interrupted check, because a check begins with the first row again. */
export async function restartCheck(db: Db, id: string): Promise<void> {
  const { rowCount } = await db.query(
    `update bulk_job set rows_done = 0, failures = 0, worked_at = now() where id = $1 and state = 'checking'`,
    [id],
  );
  if (rowCount > 0) await deleteRows(db, id);
}

type CheckedFile = Pick<ImportJob, 'kind' | 'product_ids' | 'cohort_id' | 'rows_total'> & {
  file_name: string | null;
};

/** Locks the checked file with this id until the transaction ends, and returns it; null if there is none. */
export async function lockChecked(db: Db, id: string): Promise<CheckedFile | null> {
  const { rows } = await db.query<CheckedFile>(
    `select kind, product_ids, cohort_id, file_name, rows_total from bulk_job where id = $1 and state = 'checked' for update`,
    [id],
  );
  return rows[0] ?? null;
}

/** Turns a checked file into a running import by `actor`. Keeps the preview of the check. */
export async function beginImport(
  db: Db,
  id: string,
  { actor, batch_id }: { actor: string; batch_id: string | null },
): Promise<void> {
  await deleteRows(db, id);
  await db.query(
    `update bulk_job set state = 'running', rows_done = 0, failures = 0, created_by = $2, batch_id = $3,
       worked_at = now(), detail = detail - 'sample' - 'sample_rows' - 'check'
     where id = $1`,
    [id, actor, batch_id],
  );
}

/** Deletes a checked file. Returns its kind and name; null if there is no checked file with this id. */
export async function deleteChecked(
  db: Db,
  id: string,
): Promise<Pick<CheckedFile, 'kind' | 'file_name'> | null> {
  const { rows } = await db.query<Pick<CheckedFile, 'kind' | 'file_name'>>(
    "delete from bulk_job where id = $1 and state = 'checked' returning kind, file_name",
    [id],
  );
  return rows[0] ?? null;
}

/** Deletes the checked files that staff have not imported and whose check ended earlier than `before` (R-IMP-03). */
export async function deleteOldChecks(db: Db, before: Date): Promise<void> {
  await db.query("delete from bulk_job where state = 'checked' and worked_at < $1", [before]);
}

/** Deletes a refused upload, so that a corrected file can have the same id. */
export async function deleteRefused(db: Db, id: string): Promise<void> {
  await db.query("delete from bulk_job where id = $1 and state = 'refused'", [id]);
}

async function deleteRows(db: Db, id: string): Promise<void> {
  await db.query('delete from import_error where import_id = $1', [id]);
}

// SQL that selects the states of jobs as staff see them. $1 is the maximum number of invalid rows in `errors`. `cursor`
// is the position of a job in lists: the time at which the job was added, in microseconds. An upload of codes has the
// state 'taken_back' if staff made its free codes void with the reason 'mistake' (R-IMP-10).
const STATE = `
  select (extract(epoch from j.created_at) * 1000000)::bigint::text as cursor, j.id, j.kind, j.file_name,
    case when j.state = 'checking' then 'running'
      when j.kind = 'coupons' and j.state in ('done', 'cancelled') and exists (
        select from bulk_job v where v.batch_id = j.batch_id and v.kind = 'void' and v.state = 'done'
          and v.detail ->> 'reason' = 'mistake') then 'taken_back'
      else j.state end as state,
    j.state = 'checking' as checking, j.state in ('running', 'checking') and j.detail ? 'waits' as waits,
    case when j.kind = 'coupons' then j.product_ids[1] end as product_id, j.batch_id,
    j.detail -> 'preview' as preview, j.detail -> 'sample' as sample, j.detail -> 'sample_rows' as sample_rows, j.rows_done, j.rows_total, j.created_at, j.created_by,
    j.failures as errors_count, j.reason, j.detail ->> 'reason' as void_reason, j.detail ->> 'act' as act,
    j.detail ->> 'undoes' as undoes, j.detail -> 'found' as found, coalesce(j.detail -> 'ignored', '[]') as ignored,
    coalesce(j.detail -> 'left_out', '[]') as left_out,
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
        'full', coalesce((j.detail ->> 'full')::int, 0), 'staff', coalesce((j.detail ->> 'staff')::int, 0))
      else jsonb_build_object('success', j.success, 'failures', j.failures, 'duplicates', j.duplicates,
        'productAccess', j.product_access, 'generated', j.generated, 'total', j.rows_done)
        || case when j.kind = 'users' and j.cohort_id is not null
             then jsonb_build_object('joined', j.joined, 'already', j.already) else '{}' end
        || case when j.kind = 'users'
             then jsonb_build_object('without_name', coalesce((j.detail ->> 'without_name')::int, 0),
               'renamed', coalesce((j.detail ->> 'renamed')::int, 0)) else '{}' end end as results,
    coalesce((
      select jsonb_agg(jsonb_build_object('row', e.row, 'message', e.message, 'content', e.content) order by e.row)
      from (
        select row, message, left(rtrim(array_to_string(cells, ', '), ', '), 200) as content
        from import_error where import_id = j.id order by row limit $1) e), '[]') as errors
  from bulk_job j`;

/** `uploader` is the app_user.id of the person who uploaded the file; null for imports of older versions. */
export type WithUploader = { uploader: string | null };

/**
 * Returns the state of the job with this id, with its first invalid rows, at most `named`; null if there is no such
 * job.
 */
export async function findJobState(
  db: Db,
  id: string,
  named: number,
): Promise<(JobState & WithUploader) | null> {
  const { rows } = await db.query<JobState & WithUploader>(`${STATE} where j.id = $2`, [named, id]);
  return rows[0] ?? null;
}

/** True for an upload of a file, false for a bulk action or an undo. */
export function isImport<More>(state: JobState & More): state is ImportState & More {
  return state.kind in csvKinds;
}

/** Does the same as `findJobState`, but returns null if the job is not an upload of a file. */
export async function findImportState(
  db: Db,
  id: string,
  named: number,
): Promise<(ImportState & WithUploader) | null> {
  const state = await findJobState(db, id, named);
  return state !== null && isImport(state) ? state : null;
}

/**
 * Selects the imports that were added after `since`. With `kind`, selects only files of this kind. With `product_id`,
 * which must be a UUID, selects only files with codes of this product.
 */
type ImportFilter = { kind?: CsvKind | undefined; product_id?: string | undefined; since: Date };

/** Returns one page of the states of imports, newest first, each with its first invalid rows, at most `named`. */
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

export async function countImports(db: Db, { kind, product_id, since }: ImportFilter): Promise<Total> {
  const { rows } = await db.query<{ total: number }>(
    `select count(*)::int as total from bulk_job j
     where j.kind in ('products', 'users', 'coupons') and ($1::text is null or j.kind = $1) and j.created_at > $2
       and ($3::uuid is null or (j.kind = 'coupons' and j.product_ids = array[$3::uuid]))`,
    [kind ?? null, since, product_id ?? null],
  );
  return { total: rows[0]?.total ?? 0, atLeast: false };
}
