// Creates new databases for tests. By default they run on the engine (PostgreSQL or embedded) of the Vitest project.
import { randomUUID } from 'node:crypto';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { Database } from '../src/db/database.ts';
import { openPostgres } from '../src/db/open-postgres.ts';
import { request } from './on-demand.ts';
import { openInMemory } from './open-in-memory.ts';

/** Creates a new, migrated database and opens it. The caller must close the database. */
export async function openTestDatabase(engine = inject('engine')): Promise<Database> {
  if (engine === 'postgres') return openTestPostgres(await createTestDatabase());
  return openInMemory(await request(inject('embeddedTemplate')));
}

/** Opens a PostgreSQL database. The time-out is long: on a busy machine, many statements wait for a connection. */
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
  // With this lock, test files copy the template one after the other. PostgreSQL refuses a second copy at the same
  // time.
  await admin.query('select pg_advisory_lock(1)');
  try {
    await admin.execute(`create database ${name} template ${template}`);
  } finally {
    await admin.close();
  }
  return serverUrl.replace(/postgres$/, name);
}

/**
 * Creates an empty PostgreSQL database and a database user without rights in it. Returns the connection string of this
 * user.
 */
export async function createForeignDatabase(): Promise<string> {
  const url = new URL(await createTestDatabase('template0'));
  const role = `stranger_${randomUUID().replaceAll('-', '')}`;
  const admin = await openPostgres({ url: url.href, maxConnections: 1 });
  await admin.execute(`create role ${role} login`);
  await admin.close();
  url.username = role;
  return url.href;
}

/** Creates a migrated embedded database in the data folder `dataDir`, which is created if it does not exist. */
export async function copyTestDatabase(dataDir: string): Promise<void> {
  const template = await request(inject('embeddedTemplate'));
  await cp(join(template, 'pg'), join(dataDir, 'pg'), { recursive: true });
}
