// Deletes texts about people that are older than the portal keeps them (R-PRIV-06), in batches. Each function returns the
// number of deleted or changed rows, at most `limit`.
import type { Db } from '../../db/database.ts';

type Batch = { before: Date; limit: number };

/** Deletes invalid rows of uploads that ended before `before`. The counts of the uploads stay. */
export async function deleteOldErrors(db: Db, { before, limit }: Batch): Promise<number> {
  const { rowCount } = await db.query(
    `delete from import_error where (import_id, row) in (
       select e.import_id, e.row from bulk_job b join import_error e on e.import_id = b.id
       where b.state not in ('running', 'checking', 'checked') and b.worked_at < $1 limit $2)`,
    [before, limit],
  );
  return rowCount;
}

/** Deletes duplicates and rows with generated codes of uploads that ended before `before`. */
export async function deleteOldRows(db: Db, { before, limit }: Batch): Promise<number> {
  const { rowCount } = await db.query(
    `delete from import_row where (import_id, kind, row) in (
       select r.import_id, r.kind, r.row from bulk_job b join import_row r on r.import_id = b.id
       where b.state not in ('running', 'checking', 'checked') and b.worked_at < $1 limit $2)`,
    [before, limit],
  );
  return rowCount;
}

/** Deletes the files of uploads that failed before `before`, and the addresses of bulk actions that ended before it. */
export async function deleteOldFiles(db: Db, { before, limit }: Batch): Promise<number> {
  const { rowCount } = await db.query(
    `update bulk_job set source = null, detail = detail - 'emails' where id in (
       select id from bulk_job
       where state not in ('running', 'checking', 'checked') and worked_at < $1
         and (source is not null or detail ? 'emails') limit $2)`,
    [before, limit],
  );
  return rowCount;
}

/** Deletes what became of the mails about benefits that ended before `before`. */
export async function deleteOldNotices(db: Db, { before, limit }: Batch): Promise<number> {
  const { rowCount } = await db.query(
    'delete from ready_notice where id in (select id from ready_notice where ended_at < $1 limit $2)',
    [before, limit],
  );
  return rowCount;
}
