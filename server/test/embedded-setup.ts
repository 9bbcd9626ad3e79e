// Vitest's global set-up for tests of the embedded engine. Creates the template database when a test first needs it.
import type { TestProject } from 'vitest/node';
import { findTemplate } from './embedded-template.ts';
import { offer } from './on-demand.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL for `request` (on-demand.ts), which then returns the path of the template's folder. */
    embeddedTemplate: string;
  }
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const template = await offer(findTemplate);
  project.provide('embeddedTemplate', template.url);
  return template.close;
}
