// Opens the stored databases and backups of the last version before the baseline (schema 80). Each engine has one of both,
// filled by fillDatabase.
import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompressSync } from 'node:zlib';
import type { Database } from '../src/db/database.ts';
import { openPostgres } from '../src/db/open-postgres.ts';
import { createTestDatabase, openTestPostgres } from './open-test-database.ts';

const STORED = join(import.meta.dirname, 'stored');

/** Returns the path of the stored backup of an engine. */
export function storedBackup(engine: Database['engine']): string {
  return join(STORED, `${engine}-0080.backup`);
}

/** Opens a copy of the stored database. The embedded engine keeps it in the folder `dataDir`. */
export async function openStoredDatabase(
  engine: Database['engine'],
  dataDir: string,
): Promise<{ db: Database; openAgain: () => Promise<Database> }> {
  const openAgain = engine === 'postgres' ? await loadPostgres() : await unpackEmbedded(dataDir);
  return { db: await openAgain(), openAgain };
}

async function loadPostgres(): Promise<() => Promise<Database>> {
  const url = await createTestDatabase('template0');
  // A connection of its own, because the script changes settings of its session.
  const loader = await openPostgres({ url, maxConnections: 1 });
  await loader.execute(brotliDecompressSync(await readFile(join(STORED, 'postgres-0080.sql.br'))).toString());
  await loader.close();
  return () => openTestPostgres(url);
}

// The archive has zeros in the place of the write-ahead log before the last checkpoint.
async function unpackEmbedded(dataDir: string): Promise<() => Promise<Database>> {
  const folder = join(dataDir, 'pg');
  await mkdir(folder, { recursive: true });
  const unpacking = promisify(execFile)('tar', ['-xf', '-', '-C', folder]);
  unpacking.child.stdin?.end(brotliDecompressSync(await readFile(join(STORED, 'embedded-0080.tar.br'))));
  await unpacking;
  const { openEmbedded } = await import('../src/db/open-embedded.ts');
  return () => openEmbedded(dataDir);
}
