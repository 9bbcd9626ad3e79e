// Vitest's global set-up of the embedded project: one migrated database, which every test file starts from a copy of.
// Making it anew takes many times as long as copying it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import type { TestProject } from 'vitest/node';
import { migrate } from '../src/db/migrate.ts';
import { wrapPglite } from '../src/db/open-embedded.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** An archive of the database's folder. */
    embeddedTemplate: string;
  }
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-template-'));
  const engine = await PGlite.create();
  const db = wrapPglite(engine);
  await migrate(db);
  const archive = join(folder, 'database.tar');
  const dump = await engine.dumpDataDir('none');
  await writeFile(archive, Buffer.from(await dump.arrayBuffer()));
  await db.close();
  project.provide('embeddedTemplate', archive);
  return () => rm(folder, { recursive: true, force: true });
}
