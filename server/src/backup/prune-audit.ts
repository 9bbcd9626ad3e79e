// Moves old lines of the audit log from the database to a file (R-TRAIL-61).
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { Database } from '../db/database.ts';
import { createAuditLine } from '../features/log/audit.sql.ts';
import { placeFile, readLines, writeBytes } from './backup-file.ts';
import { BackupError } from './encryption.ts';
import { deleteOldLines, findLastOldId, listOldLines } from './tables.sql.ts';

// Learners wait for at most one such batch.
const BATCH_LINES = 1_000;

/**
 * Writes all lines before the moment `before` to the new file `file`, reads the file back, and then removes exactly
 * these lines from the database, in batches. Keeps the lines of codes that somebody holds. The file is compressed with
 * gzip and has one line of JSON for each line of the log, oldest first. `day` is the day of `before`, for the line
 * `audit.prune`. That line is written together with the first removal.
 *
 * If the process ends too early, the file is not there, or it holds all lines that are gone. Lines that are left are in
 * the next file.
 * @returns the number of lines in the file; 0 if there is none, and then there is no file either.
 * @throws BackupError if the file exists or cannot be written. Nothing is removed then.
 */
export async function pruneAudit(
  db: Database,
  { before, day, file }: { before: Date; day: string; file: string },
): Promise<number> {
  if (existsSync(file)) throw new BackupError(`${file} exists already. Name a new file.`);
  const last = await findLastOldId(db, before);
  if (last === null || (await listOldLines(db, { before, after: '0', last, limit: 1 })).length === 0)
    return 0;
  const lines = await placeFile(
    file,
    (draft) => {
      const text = Readable.from(readOldLines(db, before, last), { objectMode: false });
      return writeBytes(draft, [text, createGzip()], null);
    },
    countLines,
  );
  let isFirst = true;
  for await (const ids of readIds(file)) {
    await db.transaction(async (tx) => {
      await deleteOldLines(tx, { before, ids });
      const detail = { before: day, lines, file_name: basename(file) };
      if (isFirst) await createAuditLine(tx, { actor: 'operator', action: 'audit.prune', detail });
    });
    isFirst = false;
  }
  return lines;
}

async function* readOldLines(db: Database, before: Date, last: string): AsyncGenerator<Buffer> {
  let after: string | undefined = '0';
  while (after !== undefined) {
    const lines = await listOldLines(db, { before, after, last, limit: BATCH_LINES });
    if (lines.length > 0) yield Buffer.from(lines.map(({ json }) => `${json}\n`).join(''));
    after = lines.at(-1)?.id;
  }
}

async function countLines(file: string): Promise<number> {
  let lines = 0;
  for await (const ids of readIds(file)) lines += ids.length;
  return lines;
}

/** Reads the ids of the lines in a file, in batches. They are numbers in the JSON, below 2^53. */
async function* readIds(file: string): AsyncGenerator<string[]> {
  let ids: string[] = [];
  for await (const line of readLines(file)) {
    const { id } = JSON.parse(line.toString()) as { id: number };
    ids.push(String(id));
    if (ids.length < BATCH_LINES) continue;
    yield ids;
    ids = [];
  }
  if (ids.length > 0) yield ids;
}
