// Vitest's global set-up of the browser tests: the database that each portal under test starts from a copy of.
// That a first start makes one is tested with the server.
import type { TestProject } from 'vitest/node';
import { findTemplate } from '../../server/test/embedded-template.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A data folder; its `pg` is the database. */
    templateFolder: string;
  }
}

export default async function setUp(project: TestProject): Promise<void> {
  project.provide('templateFolder', await findTemplate());
}
