// A fresh, migrated database for one test file, on the engine of the running vitest project.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { inject } from 'vitest';
import type { Database } from '../src/db/database.ts';
import { wrapPglite } from '../src/db/open-embedded.ts';
import { openPostgres } from '../src/db/open-postgres.ts';

/** Open it in `beforeAll`, close it in `afterAll`. */
export async function openTestDatabase(): Promise<Database> {
  if (inject('engine') === 'postgres') return openPostgres({ url: await createTestDatabase() });
  const archive = new Blob([await readFile(inject('embeddedTemplate'))]);
  return wrapPglite(await PGlite.create({ loadDataDir: archive }));
}

/** A database without a table. */
export async function openEmptyTestDatabase(): Promise<Database> {
  if (inject('engine') === 'postgres') return openPostgres({ url: await createTestDatabase('template0') });
  const db = await openTestDatabase();
  await db.execute('drop schema public cascade; create schema public');
  return db;
}

/** On PostgreSQL only: makes a fresh, migrated database and answers its address, to be opened as often as needed. */
export async function createTestDatabase(template = 'portal_template'): Promise<string> {
  const serverUrl = inject('postgresUrl');
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
