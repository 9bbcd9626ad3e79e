// Vitest's global set-up for the embedded engine: its template is made when the first test asks for it.
import type { TestProject } from 'vitest/node';
import { findTemplate } from './embedded-template.ts';
import { offer } from './on-demand.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Offers the folder of the template (see make-embedded-template.ts); see on-demand.ts. */
    embeddedTemplate: string;
  }
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const template = await offer(findTemplate);
  project.provide('embeddedTemplate', template.url);
  return template.close;
}
