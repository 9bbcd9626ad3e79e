// API calls about one upload: its files, and the import of a file that was checked.
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { idInPath } from './fields.ts';
import { importResults, replyOrPreview } from './imports.ts';

const params = z.object({ id: idInPath });

/**
 * Imports the file that was checked, and responds as the call that uploaded it, with the counts of its kind. Repeating
 * the call imports nothing (R-IMP-02).
 */
export const startImport = endpoint({
  method: 'POST',
  path: '/api/admin/imports/:id/start',
  access: 'admin',
  role: 'manager',
  summary: 'Import a file that was checked',
  params,
  reply: replyOrPreview(z.partial(importResults)),
});

/** Removes a checked file (R-IMP-03). */
export const discardImport = endpoint({
  method: 'POST',
  path: '/api/admin/imports/:id/discard',
  access: 'admin',
  role: 'manager',
  summary: 'Discard a file that was checked',
  params,
  reply: z.object({ discarded: z.literal(true) }),
});

/**
 * Responds with a CSV file of the invalid rows. Each line contains a row as it was uploaded, its line number, and why
 * the row is invalid. Staff can correct this file and upload it again.
 */
export const getImportErrors = endpoint({
  method: 'GET',
  path: '/api/admin/imports/:id/errors.csv',
  access: 'admin',
  role: 'manager',
  summary: 'The invalid rows, as CSV',
  params,
  reply: z.string(),
});

/**
 * Responds with a CSV file of the rows that were skipped as duplicates, at most 100,000. Staff can upload this file
 * again.
 */
export const getImportDuplicates = endpoint({
  method: 'GET',
  path: '/api/admin/imports/:id/duplicates.csv',
  access: 'admin',
  role: 'manager',
  summary: 'The duplicates, as CSV',
  params,
  reply: z.string(),
});

/** Responds with a CSV file of the codes that the portal generated for rows without a code (R-IMP-15). */
export const getImportGenerated = endpoint({
  method: 'GET',
  path: '/api/admin/imports/:id/generated.csv',
  access: 'admin',
  role: 'manager',
  summary: 'The generated codes, as CSV',
  params,
  reply: z.string(),
});
