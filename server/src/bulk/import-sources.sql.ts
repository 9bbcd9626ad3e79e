// Stores the texts of uploaded files until their imports end. On the embedded engine, a long text is stored in pieces.
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Database, Db } from '../db/database.ts';
import type { ImportJob } from './bulk-jobs.sql.ts';

type Source = Pick<ImportJob, 'source_id'> & { source: string };

/** Number of characters in a piece. A statement with one piece takes about 0.03 s on the embedded engine (measured). */
const PIECE_CHARS = 500_000;

/**
 * Stores the text of a file, and calls `add`, which adds the import with the given columns `source` and `source_id` of
 * bulk_job. Returns the result of `add`, which is null if `add` added no import. PostgreSQL keeps the whole text in
 * `source`. On the embedded engine, a long text is stored before that call, in pieces. Each piece is a short statement,
 * so that other requests are served between two pieces.
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
    // Deletes the pieces, unless an import uses the pieces: if a commit failed, it may be unknown whether the import
    // was added. An error of this statement must not hide the first error. `deleteLostSources` deletes pieces that
    // remain.
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
    let end = start + PIECE_CHARS;
    // A piece never ends between the two halves of a surrogate pair, because the database cannot store half a
    // character.
    if ((text.codePointAt(end - 1) ?? 0) > 0xffff) end += 1;
    await db.query('insert into import_source (source_id, piece, text, is_last) values ($1, $2, $3, $4)', [
      ...[source_id, piece],
      ...[text.slice(start, end), end >= text.length],
    ]);
    start = end;
    await setImmediate();
  }
}

/**
 * Returns the whole text of a file. Each engine can read a text in one piece or in several pieces, because a backup may
 * come from the other engine. Returns null if the import has ended and its text was deleted. Throws if a piece of a
 * running import is missing, so that the import fails.
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
    if (row === undefined) break;
    pieces.push(row.text);
    if (row.is_last) return pieces.join('');
    await setImmediate();
  }
  const running = 'select from bulk_job where source_id = $1 and source is not null';
  const { rows } = await db.query(running, [source_id]);
  if (rows.length > 0) throw new Error('A part of the text of this upload is missing');
  return null;
}

/**
 * Frees the disk space of deleted texts, each of up to 64 MB. The embedded engine has no autovacuum that would do this.
 */
export async function vacuumSources(db: Db): Promise<void> {
  await db.execute('vacuum import_source');
  await db.execute('vacuum bulk_job');
}

/**
 * Deletes pieces that belong to no import and were stored before this time. Such pieces remain if the process ended
 * before it added the import.
 */
export async function deleteLostSources(db: Db, before: Date): Promise<void> {
  await db.query(
    `delete from import_source s
     where stored_at < $1 and not exists (select from bulk_job j where j.source_id = s.source_id)`,
    [before],
  );
}
