// Vitest's global set-up for the embedded engine: creates the template database when the first test needs it.
import type { TestProject } from 'vitest/node';
import { findTemplate } from './embedded-template.ts';
import { offer } from './on-demand.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL to pass to `request` (on-demand.ts). The response is the path of the template's folder. */
    embeddedTemplate: string;
  }
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const template = await offer(findTemplate);
  project.provide('embeddedTemplate', template.url);
  return template.close;
}
