// API calls with which administrators take back an upload of people or of products.
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { idInPath } from './fields.ts';

const count = z.int();
const params = z.object({ id: idInPath });

/**
 * What taking back an upload would do (N-94). Of people: `grants` end for `people`, also by leaving the upload's cohort.
 * `holding` of them hold a code and keep it. `kept` people keep what they have: they had access before, or `kept_later` of
 * them were given the same again since (N-318). `lengthened` grants that only became longer stay so (R-IMP-13). Of
 * products: `products` would be archived, and `products_kept` stay: they have codes or grants (R-IMP-12), or `kept_later`
 * of them stand in a later upload too. `later` has at most five of those who gave the same again, with the number of
 * people or products: an upload, or, if `import_id` is null, staff in another way.
 */
const undoPreview = z.object({
  grants: count,
  people: count,
  holding: count,
  kept: count,
  lengthened: count,
  products: count,
  products_kept: count,
  kept_later: count,
  later: z.array(z.object({ import_id: z.nullable(z.string()), file_name: z.nullable(z.string()), count })),
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
