// Vitest's global set-up for browser tests: provides a prepared database. Each portal under test starts with a copy of
// this database. Tests of the server cover a first start without a database.
import type { TestProject } from 'vitest/node';
import { findTemplate } from '../../server/test/embedded-template.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of a data folder; the database is in its subfolder `pg`. */
    templateFolder: string;
  }
}

export default async function setUp(project: TestProject): Promise<void> {
  project.provide('templateFolder', await findTemplate());
}
