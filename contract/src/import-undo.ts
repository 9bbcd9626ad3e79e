// API calls with which administrators take back an upload of people or of products.
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { idInPath } from './fields.ts';

const count = z.int();
const params = z.object({ id: idInPath });

/**
 * What taking back an upload would do (N-94). Of people: `grants` end for `people`, also by leaving the upload's cohort.
 * `holding` of them hold a code and keep it. `kept` people had access before and keep it, and `lengthened` grants that
 * only became longer stay so (R-IMP-13). Of products: `products` would be archived, and `products_kept` have codes or
 * grants and stay (R-IMP-12).
 */
const undoPreview = z.object({
  grants: count,
  people: count,
  holding: count,
  kept: count,
  lengthened: count,
  products: count,
  products_kept: count,
});
export type UndoPreview = z.output<typeof undoPreview>;

export const getImportUndo = endpoint({
  method: 'GET',
  path: '/api/admin/imports/:id/undo',
  access: 'admin',
  role: 'manager',
  summary: 'What taking back an upload would do',
  params,
  reply: undoPreview,
});

/**
 * Takes back an upload of people or products, in a job. `expected` is the number of people, or of products, that staff
 * saw. Repeating the call responds with the first job (R-IMP-11, R-IMP-12).
 */
export const undoImport = endpoint({
  method: 'POST',
  path: '/api/admin/imports/:id/undo',
  access: 'admin',
  role: 'manager',
  summary: 'Take back an upload of people or products',
  params,
  body: z.object({
    expected: z
      .int('expected must be a whole number')
      .check(
        z.gte(0, 'expected must be from 0 to 10000000'),
        z.lte(10_000_000, 'expected must be from 0 to 10000000'),
      ),
  }),
  reply: z.object({ job_id: z.string() }),
});
