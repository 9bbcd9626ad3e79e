// Stores files that were uploaded to be checked, and uploads that were refused. Each is a row of import_job.
import type { CsvKind, ImportPreview, ImportSample } from '@portal/contract';
import type { Db } from '../db/database.ts';

// Key of the advisory lock of new checks. The number is arbitrary, but every process must use the same one.
const CHECKS_LOCK = 7_304_112;

/**
 * Returns how many files are being checked, or wait until staff import or discard them. Makes other calls of this
 * function wait until the transaction ends, so that two uploads together do not exceed the limit.
 */
export async function lockChecks(db: Db): Promise<number> {
  await db.query('select pg_advisory_xact_lock($1)', [CHECKS_LOCK]);
  const { rows } = await db.query<{ count: number }>(
    "select count(*)::int as count from import_job where state in ('checking', 'checked')",
  );
  return rows[0]?.count ?? 0;
}

/** Forgets what an interrupted check has found, because a check begins with the first row again. */
export async function restartCheck(db: Db, id: string): Promise<void> {
  const { rowCount } = await db.query(
    `update import_job set rows_done = 0, failures = 0, worked_at = now() where id = $1 and state = 'checking'`,
    [id],
  );
  if (rowCount > 0) await deleteRows(db, id);
}

/**
 * Marks a file as checked and stores what the check found. Returns false if the file was not being checked, or other
 * rows than `rows_done` were checked.
 */
export async function finishCheck(
  db: Db,
  id: string,
  { preview, sample }: { preview: ImportPreview; sample: ImportSample },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update import_job set state = 'checked', rows_total = rows_done, worked_at = now(), detail = detail || $2::jsonb
     where id = $1 and state = 'checking' and rows_done = $3`,
    [id, JSON.stringify({ preview, sample }), preview.total],
  );
  return rowCount === 1;
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
    `select kind, product_ids, cohort_id, file_name, rows_total from import_job where id = $1 and state = 'checked' for update`,
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
    `update import_job set state = 'running', rows_done = 0, failures = 0, created_by = $2, batch_id = $3,
       worked_at = now(), detail = detail - 'sample' - 'check'
     where id = $1`,
    [id, actor, batch_id],
  );
}

/** Deletes a checked file. */
export async function deleteChecked(db: Db, id: string): Promise<void> {
  await db.query("delete from import_job where id = $1 and state = 'checked'", [id]);
}

/** Deletes the files that were checked before this moment and not imported since (R-IMP-03). */
export async function deleteOldChecks(db: Db, before: Date): Promise<void> {
  await db.query("delete from import_job where state = 'checked' and worked_at < $1", [before]);
}

/** Stores an upload that was refused, with the reason. Its file is not stored. */
export async function createRefused(
  db: Db,
  refused: {
    id: string;
    kind: CsvKind;
    file_name: string | null;
    product_ids: readonly string[];
    created_by: string;
    uploader: string | undefined;
    reason: string;
  },
): Promise<void> {
  const { id, kind, file_name, product_ids, created_by, uploader, reason } = refused;
  await db.query(
    `insert into import_job (id, kind, file_name, product_ids, created_by, reason, rows_total, state, detail)
     values ($1, $2, $3, $4, $5, $6, 0, 'refused', $7) on conflict do nothing`,
    [id, kind, file_name, product_ids, created_by, reason, JSON.stringify({ uploader })],
  );
}

/** Deletes a refused upload, so that a file may be uploaded with its id. */
export async function deleteRefused(db: Db, id: string): Promise<void> {
  await db.query("delete from import_job where id = $1 and state = 'refused'", [id]);
}

async function deleteRows(db: Db, id: string): Promise<void> {
  await db.query('delete from import_error where import_id = $1', [id]);
}
