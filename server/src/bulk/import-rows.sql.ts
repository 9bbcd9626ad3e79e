// Stores the rows of imports that the summary offers as files: invalid rows, duplicates and rows with a generated code.
import type { RowError } from '@portal/contract';
import type { Db } from '../db/database.ts';

/** A row of a file. `cells` are the texts of the row, in the order of `columnsOf` (read-csv.ts). */
export type ListedRow = Omit<RowError, 'content'> & { cells: string[] };
/** An invalid row of an import. `message` says why it is invalid. */
export type InvalidRow = ListedRow;

/** The file of duplicates has at most this number of rows (R-IMP-16). */
const DUPLICATES_MAX = 100_000;

export async function createImportErrors(db: Db, id: string, errors: readonly InvalidRow[]): Promise<void> {
  await db.query(
    `insert into import_error (import_id, row, message, cells)
     select $1, (e ->> 'row')::int, e ->> 'message', array(select jsonb_array_elements_text(e -> 'cells'))
     from jsonb_array_elements($2::jsonb) as e`,
    [id, JSON.stringify(errors)],
  );
}

/** Adds rows of one kind. Of the duplicates of an import, keeps the first 100,000. */
export async function createImportRows(
  db: Db,
  id: string,
  kind: 'duplicate' | 'generated',
  rows: readonly ListedRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await db.query(
    `insert into import_row (import_id, kind, row, message, cells)
     select $1, $2, (e ->> 'row')::int, e ->> 'message', array(select jsonb_array_elements_text(e -> 'cells'))
     from jsonb_array_elements($3::jsonb) as e
     limit case when $2 = 'duplicate'
       then greatest($4 - (select duplicates from import_job where id = $1), 0) end`,
    [id, kind, JSON.stringify(rows), DUPLICATES_MAX],
  );
}

/**
 * Returns the invalid rows of an import whose row number is above `after`, at most `limit` of them, sorted by row
 * number.
 */
export async function listImportErrors(
  db: Db,
  id: string,
  { after, limit }: { after: number; limit: number },
): Promise<InvalidRow[]> {
  const { rows } = await db.query<InvalidRow>(
    'select row, message, cells from import_error where import_id = $1 and row > $2 order by row limit $3',
    [id, after, limit],
  );
  return rows;
}

/** Returns the next rows of one kind, like `listImportErrors`. */
export async function listImportRows(
  db: Db,
  id: string,
  kind: 'duplicate' | 'generated',
  { after, limit }: { after: number; limit: number },
): Promise<ListedRow[]> {
  const { rows } = await db.query<ListedRow>(
    `select row, message, cells from import_row where import_id = $1 and kind = $2 and row > $3 order by row limit $4`,
    [id, kind, after, limit],
  );
  return rows;
}

/** Returns the number of rows of a file about an upload: its invalid rows, duplicates, or rows with a generated code. */
export async function countFileRows(
  db: Db,
  id: string,
  kind: 'error' | 'duplicate' | 'generated',
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    kind === 'error'
      ? 'select count(*)::int as count from import_error where import_id = $1'
      : 'select count(*)::int as count from import_row where import_id = $1 and kind = $2',
    kind === 'error' ? [id] : [id, kind],
  );
  return rows[0]?.count ?? 0;
}
