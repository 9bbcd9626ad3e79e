// Creates a new, migrated database for a test file, on the engine of the current Vitest project.
import { randomUUID } from 'node:crypto';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { Database } from '../src/db/database.ts';
import { openPostgres } from '../src/db/open-postgres.ts';
import { request } from './on-demand.ts';

/** Returns the database. Tests call this in `beforeAll`, and close the database in `afterAll`. */
export async function openTestDatabase(engine = inject('engine')): Promise<Database> {
  if (engine === 'postgres') return openTestPostgres(await createTestDatabase());
  // Imported only here, because loading PGlite takes longer than most PostgreSQL tests.
  const { PGlite } = await import('@electric-sql/pglite');
  const { wrapPglite } = await import('../src/db/open-embedded.ts');
  archive ??= request(inject('embeddedTemplate')).then((folder) => readFile(join(folder, 'database.tar')));
  return wrapPglite(await PGlite.create({ loadDataDir: new Archive(await archive) }));
}

let archive: Promise<Buffer<ArrayBuffer>> | null = null;

/** Replaces Node's Blob, because with its `arrayBuffer` a database takes one and a half times as long to open. */
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

/** The time-out is long, because hundreds of statements may wait for a connection on a busy machine. */
export function openTestPostgres(url: string): Promise<Database> {
  return openPostgres({ url, connectTimeoutMs: 30_000 });
}

/** Creates an empty database, without migrations. */
export async function openEmptyTestDatabase(engine = inject('engine')): Promise<Database> {
  if (engine === 'postgres') return openTestPostgres(await createTestDatabase('template0'));
  const db = await openTestDatabase(engine);
  await db.execute('drop schema public cascade; create schema public');
  return db;
}

/** Creates a new, migrated PostgreSQL database and returns its connection string. */
export async function createTestDatabase(template = 'portal_template'): Promise<string> {
  const serverUrl = await request(inject('postgresServer'));
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const admin = await openPostgres({ url: serverUrl, maxConnections: 1 });
  // The lock serialises test files: PostgreSQL cannot copy a template while another session copies it.
  await admin.query('select pg_advisory_lock(1)');
  try {
    await admin.execute(`create database ${name} template ${template}`);
  } finally {
    await admin.close();
  }
  return serverUrl.replace(/postgres$/, name);
}

/** Creates an empty PostgreSQL database and returns its connection string for a user without any rights there. */
export async function createForeignDatabase(): Promise<string> {
  const url = new URL(await createTestDatabase('template0'));
  const role = `stranger_${randomUUID().replaceAll('-', '')}`;
  const admin = await openPostgres({ url: url.href, maxConnections: 1 });
  await admin.execute(`create role ${role} login`);
  await admin.close();
  url.username = role;
  return url.href;
}

/** Copies a migrated embedded database into `dataDir`, which is created if needed. */
export async function copyTestDatabase(dataDir: string): Promise<void> {
  const template = await request(inject('embeddedTemplate'));
  await cp(join(template, 'pg'), join(dataDir, 'pg'), { recursive: true });
}
