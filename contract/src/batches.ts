// Calls for batches: the uploads of codes, and what staff do with all free codes of one.
import * as z from 'zod/mini';
import { note, voidReason } from './coupons.ts';
import { endpoint } from './endpoint.ts';
import { day, dayField, id, inPages, orNull, page, time } from './fields.ts';

/** Codes that were added together (R-LIFE-17). `codes`: how many the upload added. */
export const batch = z.object({
  id: z.string(),
  product_id: z.string(),
  source: z.enum(['form', 'file', 'generated']),
  file_name: z.nullable(z.string()),
  created_by: z.string(),
  created_at: time,
  codes: z.int(),
});
export type Batch = z.output<typeof batch>;

/**
 * A batch with the numbers of codes that are in it now, by state. `moved`: codes of it that were uploaded again and are
 * in another batch now. `use_by`: the last day of its free codes; null if there is none, or several (`use_by_mixed`).
 */
export const batchRecord = z.extend(batch, {
  free: z.int(),
  held: z.int(),
  revoked: z.int(),
  void: z.int(),
  moved: z.int(),
  use_by: z.nullable(day),
  use_by_mixed: z.boolean(),
  /** Number of codes of which the last day can be set: free codes, and expired ones. */
  datable: z.int(),
  /** Id of the job of an act on this batch that is running; null if none is. */
  running_job: z.nullable(z.string()),
});
export type BatchRecord = z.output<typeof batchRecord>;

/** The number of codes that staff saw before they confirmed. The call is refused if more are affected now (C-6). */
const expected = z.int('expected must be a whole number').check(z.gte(0, 'expected must be at least 0'));
const startedJob = z.object({ job_id: z.string() });

export const listBatches = endpoint({
  method: 'GET',
  path: '/api/admin/batches',
  access: 'admin',
  summary: 'Uploads of codes, newest first, without those of a single code',
  query: z.object({ limit: page.limit, cursor: page.cursor, product_id: z.optional(id) }).check(inPages),
  reply: z.array(batch),
});

export const getBatch = endpoint({
  method: 'GET',
  path: '/api/admin/batches/:id',
  access: 'admin',
  summary: 'One upload with the numbers of its codes',
  params: z.object({ id }),
  reply: batchRecord,
});

export const voidBatch = endpoint({
  method: 'POST',
  path: '/api/admin/batches/:id/void',
  access: 'admin',
  summary: 'Make the free codes of an upload void',
  params: z.object({ id }),
  body: z.object({ reason: voidReason, note, expected }),
  reply: startedJob,
});

export const setBatchUseBy = endpoint({
  method: 'POST',
  path: '/api/admin/batches/:id/use-by',
  access: 'admin',
  summary: 'Set the last day of the free codes of an upload',
  params: z.object({ id }),
  body: z.object({ use_by: orNull(dayField('use_by')), expected }),
  reply: startedJob,
});
