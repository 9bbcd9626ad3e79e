// Vitest's global set-up of the PostgreSQL project: one server for all test files, with a migrated template database.
import type { TestProject } from 'vitest/node';
import { migrate } from '../src/db/migrate.ts';
import { openPostgres } from '../src/db/open-postgres.ts';
import { startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    engine: 'embedded' | 'postgres';
    postgresUrl: string;
  }
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  const admin = await openPostgres({ url: server.url });
  await admin.execute('create database portal_template');
  const template = await openPostgres({ url: server.url.replace(/postgres$/, 'portal_template') });
  await migrate(template);
  await template.close();
  await admin.close();
  project.provide('postgresUrl', server.url);
  return server.stop;
}
