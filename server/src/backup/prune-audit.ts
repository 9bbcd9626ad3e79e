// Moves old audit lines from the database to a file (R-TRAIL-61).
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { Database } from '../db/database.ts';
import { createAuditLine } from '../features/log/audit.sql.ts';
import { placeFile, readLines, writeBytes } from './backup-file.ts';
import { BackupError } from './encryption.ts';
import { deleteOldLines, findLastOldId, listOldLines } from './tables.sql.ts';

// The number of audit lines that one transaction deletes. On the embedded engine, requests wait for this transaction.
const BATCH_LINES = 1_000;

/**
 * Moves all audit lines before the moment `before` to the new file `file`, except lines about codes that somebody
 * holds. Deletes the lines only after the file was written and read back. If the process ends during the deletion, the
 * next call moves the remaining lines to its own file. The file is compressed with gzip, and has one audit line as JSON
 * per line, oldest first. `day` is the day of `before`, for the audit line `audit.prune`.
 * @returns the number of audit lines in the file. If the number is 0, no file is written.
 * @throws BackupError if the file exists or cannot be written. No audit line is deleted then.
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

// Yields the ids of the audit lines in a file, in batches of BATCH_LINES.
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
