// Stores imports: their file and progress.
import { setImmediate } from 'node:timers/promises';
import type { CsvKind, FoundColumns, ImportState } from '@portal/contract';
import { sqlColumns } from '../db/columns.ts';
import type { Db } from '../db/database.ts';

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
  /** Grants that existed and became longer (R-IMP-13). */
  lengthened: number;
};

/** The tally of no rows. */
export const NO_TALLY: Tally = {
  rows: 0,
  success: 0,
  failures: 0,
  duplicates: 0,
  productAccess: 0,
  generated: 0,
  joined: 0,
  already: 0,
  lengthened: 0,
};

type NewImport = Omit<ImportJob, 'rows_done' | 'detail'> & {
  file_name: string | null;
  rows_total: number;
  detail: string;
};
const NEW_IMPORT = sqlColumns<NewImport>({
  id: true,
  kind: true,
  file_name: true,
  product_ids: true,
  created_by: true,
  state: true,
  source: true,
  source_id: true,
  batch_id: true,
  starts_on: true,
  ends_on: true,
  cohort_id: true,
  rows_total: true,
  detail: true,
});

/** Adds an import. Returns false if an import with this id exists already. */
export async function createImport(
  db: Db,
  { detail, ...job }: Omit<NewImport, 'detail'> & { detail: ImportDetail },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into import_job (${NEW_IMPORT.list}) values (${NEW_IMPORT.params}) on conflict do nothing`,
    NEW_IMPORT.valuesOf({ ...job, detail: JSON.stringify(detail) }),
  );
  return rowCount === 1;
}

/** Returns the kind of an import, or of an act on many rows; null if there is none with this id. */
export async function findImportKind(db: Db, id: string): Promise<string | null> {
  const { rows } = await db.query<{ kind: string }>('select kind from import_job where id = $1', [id]);
  return rows[0]?.kind ?? null;
}

export type SentUpload = Pick<ImportJob, 'product_ids' | 'created_by' | 'state' | 'cohort_id' | 'detail'> & {
  kind: string;
};

/** Returns what is known of the upload, or of the act on many rows, with this id. Does not read its file. */
export async function findUpload(db: Db, id: string): Promise<SentUpload | null> {
  const { rows } = await db.query<SentUpload>(
    'select kind, product_ids, created_by, state, cohort_id, detail from import_job where id = $1',
    [id],
  );
  return rows[0] ?? null;
}

export async function findImport(db: Db, id: string): Promise<ImportJob | null> {
  const { rows } = await db.query<ImportJob>(
    `select id, kind, product_ids, created_by, state, source, source_id, batch_id, starts_on, ends_on, cohort_id,
       rows_done, rows_total, detail
     from import_job where id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

/**
 * Locks an import until the transaction ends, so that two processes cannot import the same batch of rows. Returns true
 * if the import is running (or its file is being checked, if `state` says so) and has imported exactly `rows_done` rows.
 * Returns false, for example, if another process has already imported this batch.
 */
export async function lockImportAt(
  db: Db,
  id: string,
  rows_done: number,
  state: 'running' | 'checking' = 'running',
): Promise<boolean> {
  const { rows } = await db.query<{ rows_done: number; state: string }>(
    'select rows_done, state from import_job where id = $1 for update',
    [id],
  );
  return rows[0]?.state === state && rows[0].rows_done === rows_done;
}

/**
 * Locks an import until the transaction ends. Returns false if the import is neither running nor failed, and its file is
 * not being checked.
 */
export async function lockImport(db: Db, id: string): Promise<boolean> {
  const { rows } = await db.query(
    "select 1 from import_job where id = $1 and state in ('running', 'checking', 'failed') for update",
    [id],
  );
  return rows.length > 0;
}

export async function addToImport(db: Db, id: string, tally: Tally): Promise<void> {
  await db.query(
    `update import_job set rows_done = rows_done + $2, rows_total = greatest(rows_total, rows_done + $2),
       success = success + $3, failures = failures + $4, duplicates = duplicates + $5,
       product_access = product_access + $6, generated = generated + $7, joined = joined + $8, already = already + $9,
       worked_at = now(), detail = case when $10 = 0 then detail
         else jsonb_set(detail, '{lengthened}', to_jsonb(coalesce((detail ->> 'lengthened')::int, 0) + $10)) end
     where id = $1`,
    [
      ...[id, tally.rows, tally.success, tally.failures, tally.duplicates, tally.productAccess],
      ...[tally.generated, tally.joined, tally.already, tally.lengthened],
    ],
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
    `update import_job set state = case when $2 = 'running' and detail ? 'check' then 'checking' else $2 end, reason = $3, source = case when $2 <> 'cancelled' then source end
     where id = $1 and state in ('running', 'checking', 'failed')`,
    [id, state, reason],
  );
}

/** Notes whether the import or check of a file waits for another file. */
export async function setImportWaits(db: Db, id: string, waits: boolean): Promise<void> {
  await db.query(
    `update import_job set detail = case when $2 then detail || '{"waits": true}' else detail - 'waits' end
     where id = $1 and detail ? 'waits' <> $2`,
    [id, waits],
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
     from import_job i where state in ('running', 'checking') and worked_at <= now() - $4 * interval '1 second'
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
