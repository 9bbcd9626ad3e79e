// A fresh, migrated database for one test file, on the engine of the running vitest project.
import { randomUUID } from 'node:crypto';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { Database } from '../src/db/database.ts';
import { openPostgres } from '../src/db/open-postgres.ts';
import { request } from './on-demand.ts';

/** Open it in `beforeAll`, close it in `afterAll`. */
export async function openTestDatabase(engine = inject('engine')): Promise<Database> {
  if (engine === 'postgres') return openTestPostgres(await createTestDatabase());
  // Not for the files of the other engine: reading the program takes longer than most of them.
  const { PGlite } = await import('@electric-sql/pglite');
  const { wrapPglite } = await import('../src/db/open-embedded.ts');
  archive ??= request(inject('embeddedTemplate')).then((folder) => readFile(join(folder, 'database.tar')));
  return wrapPglite(await PGlite.create({ loadDataDir: new Archive(await archive) }));
}

let archive: Promise<Buffer<ArrayBuffer>> | null = null;

/** Node's own Blob joins its bytes piece by piece, which takes half as long as all else that PGlite does to open. */
class Archive extends Blob {
  readonly #bytes: Buffer<ArrayBuffer>;

  constructor(bytes: Buffer<ArrayBuffer>) {
    super();
    this.#bytes = bytes;
  }

  override async arrayBuffer(): Promise<ArrayBuffer> {
    return new Uint8Array(this.#bytes).buffer;
  }
}

/** Hundreds of statements may wait for a connection on a busy machine: no test fails because they take seconds. */
export function openTestPostgres(url: string): Promise<Database> {
  return openPostgres({ url, connectTimeoutMs: 30_000 });
}

/** A database without a table. */
export async function openEmptyTestDatabase(engine = inject('engine')): Promise<Database> {
  if (engine === 'postgres') return openTestPostgres(await createTestDatabase('template0'));
  const db = await openTestDatabase(engine);
  await db.execute('drop schema public cascade; create schema public');
  return db;
}

/** Makes a fresh, migrated PostgreSQL database and returns its connection string, to be opened as often as needed. */
export async function createTestDatabase(template = 'portal_template'): Promise<string> {
  const serverUrl = await request(inject('postgresServer'));
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const admin = await openPostgres({ url: serverUrl, maxConnections: 1 });
  // Copying the template fails while another test file copies it.
  await admin.query('select pg_advisory_lock(1)');
  try {
    await admin.execute(`create database ${name} template ${template}`);
  } finally {
    await admin.close();
  }
  return serverUrl.replace(/postgres$/, name);
}

/** Makes an empty PostgreSQL database and returns its connection string for a user who owns nothing there. */
export async function createForeignDatabase(): Promise<string> {
  const url = new URL(await createTestDatabase('template0'));
  const role = `stranger_${randomUUID().replaceAll('-', '')}`;
  const admin = await openPostgres({ url: url.href, maxConnections: 1 });
  await admin.execute(`create role ${role} login`);
  await admin.close();
  url.username = role;
  return url.href;
}

/** Puts a migrated embedded database into `dataDir`, a data folder that need not be there yet. */
export async function copyTestDatabase(dataDir: string): Promise<void> {
  const template = await request(inject('embeddedTemplate'));
  await cp(join(template, 'pg'), join(dataDir, 'pg'), { recursive: true });
}
