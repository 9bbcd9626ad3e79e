// Vitest's global set-up for tests of the embedded engine. Creates the template database when a test first needs it.
import type { TestProject } from 'vitest/node';
import { findTemplate } from './embedded-template.ts';
import { offer } from './on-demand.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Argument for `request` (on-demand.ts). With this argument, `request` returns the folder of the template. */
    embeddedTemplate: string;
  }
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const template = await offer(findTemplate);
  project.provide('embeddedTemplate', template.url);
  return template.close;
}
