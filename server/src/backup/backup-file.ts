// Reads and writes backup files. A backup file is text, compressed with gzip, and encrypted if the operator wants. The
// last line of the text has the number of rows and a checksum.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { BackupError, type BackupKeys, damaged, decryptIfEncrypted, type Encryption } from './encryption.ts';
import type { BackupSequence, BackupTable } from './tables.sql.ts';

/**
 * The first line of a backup. `format` is the version of the file format. `schema` is the highest number in
 * `migrations`, the applied migrations; very old backups have no `migrations`. `made_at` is in ISO 8601.
 */
export type BackupHeader = {
  format: number;
  schema: number;
  migrations?: number[];
  made_at: string;
  engine: string;
};

/** Parts of a backup: first the header, then each table followed by its rows, then the sequences. */
export type BackupPart =
  | { kind: 'backup'; value: BackupHeader }
  | { kind: 'table'; value: BackupTable }
  | { kind: 'rows'; value: string[] }
  | { kind: 'sequence'; value: BackupSequence };

/** Number of rows by table name. */
export type BackupCounts = Record<string, number>;

export const BACKUP_FORMAT = 1;
const OWNER_ONLY = 0o600;
const NEWLINE = 10;
const BATCH_ROWS = 1_000;
const BATCH_BYTES = 1_000_000;

/** The result of reading a whole backup without errors. `bytes` is the size of the file. */
export type CheckedBackup = { header: BackupHeader; counts: BackupCounts; bytes: number };

/** Writes a backup to a new file that only its owner may read. Encrypts the file unless `encryption` is null. */
export async function writeBackupFile(
  file: string,
  parts: AsyncIterable<BackupPart>,
  encryption: Encryption | null = null,
): Promise<void> {
  const text = Readable.from(formatParts(parts), { objectMode: false });
  await writeBytes(file, [text, createGzip()], encryption);
}

/**
 * Writes bytes to a new file that only its owner may read. Encrypts the file unless `encryption` is null. `source` is a
 * readable stream, followed by the transform streams to apply.
 */
export async function writeBytes(
  file: string,
  source: readonly [Readable, ...Transform[]],
  encryption: Encryption | null,
): Promise<void> {
  const target = createWriteStream(file, { flags: 'wx', mode: OWNER_ONLY, flush: true });
  await pipeline([...source, ...(encryption === null ? [] : [encryption.encrypt]), target]);
}

/**
 * Replaces the file `file` only if the new file is complete: `fill` writes a temporary file, `check` reads the
 * temporary file, and `placeFile` renames the temporary file to `file`. Returns the result of `check`.
 * @throws BackupError if the temporary file cannot be written.
 * @throws the errors of `fill` and `check`.
 */
export async function placeFile<Checked>(
  file: string,
  fill: (draft: string) => Promise<void>,
  check: (draft: string) => Promise<Checked>,
): Promise<Checked> {
  const draft = `${file}.partial`;
  try {
    await rm(draft, { force: true });
    await fill(draft);
    const checked = await check(draft);
    await rename(draft, file);
    // Flushes the folder to disk. Otherwise a power failure could undo the rename.
    const folder = await open(dirname(file));
    await folder.sync().finally(() => folder.close());
    return checked;
  } catch (error) {
    await rm(draft, { force: true });
    throw isFileFault(error) ? new BackupError(`${file} cannot be written (${error.message}).`) : error;
  }
}

/**
 * Reads a backup file to its end.
 * @throws BackupError if the file is no backup, is damaged or incomplete, or `keys` do not decrypt an encrypted file.
 */
export async function checkBackupFile(file: string, keys?: BackupKeys): Promise<CheckedBackup> {
  let header: BackupHeader | undefined;
  const counts: BackupCounts = {};
  let table = '';
  for await (const part of readBackupFile(file, keys)) {
    if (part.kind === 'backup') header = part.value;
    if (part.kind === 'table') {
      table = part.value.name;
      counts[table] = 0;
    }
    if (part.kind === 'rows') counts[table] = (counts[table] ?? 0) + part.value.length;
  }
  if (header === undefined) throw notABackup(file);
  return { header, counts, bytes: (await stat(file)).size };
}

/**
 * Reads a backup file and yields its parts one by one.
 * @throws BackupError as `checkBackupFile`. If the end of the file is missing, throws after the last existing part.
 */
export async function* readBackupFile(file: string, keys: BackupKeys = NO_KEYS): AsyncGenerator<BackupPart> {
  const hash = createHash('sha256');
  let rows: string[] = [];
  let bytes = 0;
  let count = 0;
  let began = false;
  let ended = false;
  for await (const line of readLines(file, keys)) {
    const [, kind, json = ''] =
      /^#(\w+) (.*)$/.exec(line.subarray(0, 1).equals(HASH) ? line.toString() : '') ?? [];
    if (!began && kind !== 'backup') throw notABackup(file);
    if (ended) throw damaged(file, 'something follows its end');
    if (kind === 'end') {
      if (rows.length > 0) yield { kind: 'rows', value: rows };
      if (json !== JSON.stringify({ rows: count, sha256: hash.digest('hex') }))
        throw damaged(file, 'its checksum does not fit');
      ended = true;
      continue;
    }
    hash.update(line).update('\n');
    if (kind === undefined) {
      rows.push(line.toString());
      count += 1;
      bytes += line.length;
    }
    if (rows.length > 0 && (kind !== undefined || rows.length === BATCH_ROWS || bytes > BATCH_BYTES)) {
      yield { kind: 'rows', value: rows };
      rows = [];
      bytes = 0;
    }
    if (kind !== undefined) {
      const part = readPart(file, kind, json);
      if (part.kind === 'backup') checkFormat(file, part.value);
      began = true;
      yield part;
    }
  }
  if (!began) throw notABackup(file);
  if (!ended) throw damaged(file, 'its end is missing');
}

const HASH = Buffer.from('#');
const NO_KEYS: BackupKeys = { passphrase: async () => '', identities: async () => [] };

async function* formatParts(parts: AsyncIterable<BackupPart>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const { kind, value } of parts) {
    const text = kind === 'rows' ? value.join('\n') : `#${kind} ${JSON.stringify(value)}`;
    if (kind === 'rows') rows += value.length;
    const chunk = Buffer.from(`${text}\n`);
    hash.update(chunk);
    yield chunk;
  }
  yield Buffer.from(`#end ${JSON.stringify({ rows, sha256: hash.digest('hex') })}\n`);
}

/** Reads a file compressed with gzip, and yields its lines. @throws BackupError if the file is damaged. */
export async function* readLines(file: string, keys: BackupKeys = NO_KEYS): AsyncGenerator<Buffer> {
  const unzip = createGunzip();
  const bytes = createReadStream(file);
  const source = Readable.from(decryptIfEncrypted(file, bytes, keys), { objectMode: false });
  source.on('error', (error) => unzip.destroy(error));
  source.pipe(unzip);
  let pieces: Buffer[] = [];
  try {
    for await (const chunk of unzip as AsyncIterable<Buffer>) {
      let from = 0;
      for (let to = chunk.indexOf(NEWLINE); to !== -1; to = chunk.indexOf(NEWLINE, from)) {
        pieces.push(chunk.subarray(from, to));
        yield pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
        pieces = [];
        from = to + 1;
      }
      pieces.push(chunk.subarray(from));
    }
  } catch (error) {
    throw describeReadFault(file, error);
  } finally {
    source.destroy();
    bytes.destroy();
    unzip.destroy();
  }
  if (pieces.some((piece) => piece.length > 0)) throw damaged(file, 'its last line is cut off');
}

function readPart(file: string, kind: string, json: string): BackupPart {
  if (kind !== 'backup' && kind !== 'table' && kind !== 'sequence')
    throw damaged(file, `#${kind} is unknown`);
  try {
    return { kind, value: JSON.parse(json) };
  } catch {
    throw damaged(file, 'a line does not read');
  }
}

function checkFormat(file: string, { format }: BackupHeader): void {
  if (format === BACKUP_FORMAT) return;
  throw new BackupError(
    `${file} is written in format ${format}, and this version of the portal reads format ${BACKUP_FORMAT}. Restore it with a newer version.`,
  );
}

function describeReadFault(file: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const code = String(error.code);
  if (error.message === 'incorrect header check') return notABackup(file);
  if (code.startsWith('Z_')) return damaged(file, error.message);
  return isFileFault(error) ? new BackupError(`${file} cannot be read (${error.message}).`) : error;
}

function notABackup(file: string): BackupError {
  return new BackupError(`${file} is no backup of this portal. Nothing was written.`);
}

/** True for an error of the file system, for example ENOSPC (no space left). */
export function isFileFault(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error && 'errno' in error;
}
