// Vitest's global set-up: the files of an embedded database with empty tables, which every portal under test starts from a copy of.
// Making them anew takes many times as long as copying them; that a first start makes them is tested with the server.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

const MAKE_TEMPLATE = join(import.meta.dirname, 'make-template.ts');

declare module 'vitest' {
  interface ProvidedContext {
    /** A data folder; its `pg` is the database. It has room for what portals under test may share. */
    templateFolder: string;
  }
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-template-'));
  await promisify(execFile)(process.execPath, [MAKE_TEMPLATE, folder]);
  project.provide('templateFolder', folder);
  return () => rm(folder, { recursive: true, force: true });
}
