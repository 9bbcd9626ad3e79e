// Stores the texts of uploaded files until their imports end. On the embedded engine, a long text is stored in pieces.
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Database, Db } from '../db/database.ts';
import type { ImportJob } from './bulk-jobs.sql.ts';

type Source = Pick<ImportJob, 'source_id'> & { source: string };

/** Number of characters in a piece. A statement with one piece takes about 0.03 s on the embedded engine (measured). */
const PIECE_CHARS = 500_000;
const LAST_OF_FIRST_HALVES = 0xdbff;
const FIRST_OF_FIRST_HALVES = 0xd800;

/**
 * Calls `add`, which adds an import, with the columns of bulk_job for the file `text`. Returns what `add` returns; null
 * means that it added no import. On the embedded engine, the pieces of a long text are stored before, each in a short
 * statement, so that other calls are served between them. PostgreSQL keeps the whole text in `source`.
 */
export async function withSource<Added>(
  db: Database,
  text: string,
  add: (source: Source) => Promise<Added | null>,
): Promise<Added | null> {
  if (db.engine === 'postgres' || text.length <= PIECE_CHARS) return add({ source: text, source_id: null });
  const source_id = randomUUID();
  let added: Added | null = null;
  try {
    await storePieces(db, source_id, text);
    added = await add({ source: '', source_id });
  } finally {
    // If the outcome of a commit is unknown, the import may exist. Then its pieces stay. An error of this statement must
    // not replace the error of the statements before. `deleteLostSources` deletes the remaining pieces later.
    if (added === null)
      await db
        .query(
          `delete from import_source s
           where source_id = $1 and not exists (select from bulk_job j where j.source_id = s.source_id)`,
          [source_id],
        )
        .catch(() => undefined);
  }
  return added;
}

async function storePieces(db: Db, source_id: string, text: string): Promise<void> {
  let piece = 0;
  for (let start = 0; start < text.length; piece += 1) {
    const end = endOfPiece(text, start);
    await db.query('insert into import_source (source_id, piece, text, is_last) values ($1, $2, $3, $4)', [
      ...[source_id, piece],
      ...[text.slice(start, end), end >= text.length],
    ]);
    start = end;
    await setImmediate();
  }
}

// A piece never ends with the first half of a character, because the database cannot store half a character.
function endOfPiece(text: string, start: number): number {
  const end = start + PIECE_CHARS;
  const last = text.charCodeAt(end - 1);
  return last >= FIRST_OF_FIRST_HALVES && last <= LAST_OF_FIRST_HALVES ? end + 1 : end;
}

/**
 * Returns the whole text of a file, on either engine: a backup may come from the other one. Null if the import ended
 * meanwhile and its text was deleted. Throws if the import goes on and pieces are missing, so that it fails visibly.
 */
export async function readSource(db: Db, { source, source_id }: Source): Promise<string | null> {
  if (source_id === null) return source;
  const pieces: string[] = [];
  for (;;) {
    const { rows } = await db.query<{ text: string; is_last: boolean }>(
      'select text, is_last from import_source where source_id = $1 and piece = $2',
      [source_id, pieces.length],
    );
    const [row] = rows;
    if (row === undefined) return refuseLost(db, source_id);
    pieces.push(row.text);
    if (row.is_last) return pieces.join('');
    await setImmediate();
  }
}

async function refuseLost(db: Db, source_id: string): Promise<null> {
  const { rows } = await db.query('select from bulk_job where source_id = $1 and source is not null', [
    source_id,
  ]);
  if (rows.length > 0) throw new Error('A part of the text of this upload is missing');
  return null;
}

/** Vacuums the tables of texts. The embedded engine has no autovacuum, and a text may have 64 MB. */
export async function vacuumSources(db: Db): Promise<void> {
  await db.execute('vacuum import_source');
  await db.execute('vacuum bulk_job');
}

/** Deletes pieces that were stored before this moment and that no import uses, because the process ended too early. */
export async function deleteLostSources(db: Db, before: Date): Promise<void> {
  await db.query(
    `delete from import_source s
     where stored_at < $1 and not exists (select from bulk_job j where j.source_id = s.source_id)`,
    [before],
  );
}
