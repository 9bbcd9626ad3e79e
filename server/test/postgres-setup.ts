// Vitest's global set-up for tests on PostgreSQL. All test files share one server, which contains a migrated template
// database. The server starts when a test first needs a database.
import type { TestProject } from 'vitest/node';
import { offer } from './on-demand.ts';

declare module 'vitest' {
  interface ProvidedContext {
    engine: 'embedded' | 'postgres';
    /** Argument for `request` (on-demand.ts). With this argument, `request` returns the server's connection string. */
    postgresServer: string;
  }
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  let stop: (() => Promise<void>) | null = null;
  const server = await offer(async () => {
    const { startPostgres } = await import('./postgres.ts');
    // The snapshot of autovacuum would disturb tests that count blocks: rows would not become visible to all.
    const started = await startPostgres({ settings: ['autovacuum=off'] });
    stop = started.stop;
    await makeTemplate(started.url);
    return started.url;
  });
  project.provide('postgresServer', server.url);
  return async () => {
    await server.close();
    await stop?.();
  };
}

async function makeTemplate(serverUrl: string): Promise<void> {
  const [{ openPostgres }, { migrate }] = await Promise.all([
    import('../src/db/open-postgres.ts'),
    import('../src/db/migrate.ts'),
  ]);
  const admin = await openPostgres({ url: serverUrl, maxConnections: 1 });
  await admin.execute('create database portal_template');
  const template = await openPostgres({ url: serverUrl.replace(/postgres$/, 'portal_template') });
  await migrate(template);
  await template.close();
  await admin.close();
}
