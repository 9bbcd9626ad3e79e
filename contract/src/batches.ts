// API calls for batches. A batch is a set of codes that were added together, for example from one file. Staff list
// batches, and change all free codes of a batch at once.
import * as z from 'zod/mini';
import { note, voidReason } from './coupons.ts';
import { endpoint } from './endpoint.ts';
import { day, dayField, id, idInPath, inPages, orNull, page, time } from './fields.ts';
import { expectedCount } from './grants.ts';

/** A batch of codes (R-LIFE-17). `codes` is the number of codes that were added together as this batch. */
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
 * A batch with the numbers of its codes. `free`, `held`, `revoked`, `void` and `expired` count the codes that belong to
 * the batch now. `moved` counts the codes that were uploaded again later, and so belong to another batch now. `use_by` is the
 * last day on which the partner accepts the free codes; null if the free codes have no last day. If the free codes have
 * different last days, `use_by` is null and `use_by_mixed` is true. `kept` of the free codes stand in another upload too,
 * and stay when this one is taken back as a mistake; `kept_by` has at most five of these uploads.
 */
export const batchRecord = z.extend(batch, {
  free: z.int(),
  held: z.int(),
  revoked: z.int(),
  void: z.int(),
  expired: z.int(),
  moved: z.int(),
  kept: z.int(),
  kept_by: z.array(z.object({ id: z.string(), file_name: z.nullable(z.string()), codes: z.int() })),
  use_by: z.nullable(day),
  use_by_mixed: z.boolean(),
  /** Number of codes whose last day staff can change: the free codes and the expired codes. */
  datable: z.int(),
  /** Id of the running job that changes the codes of this batch; null if no such job is running. */
  running_job: z.nullable(z.string()),
  /** Id of the import of the file with these codes; null without a file, and for roles below manager (R-IMP-16). */
  import_id: z.nullable(z.string()),
});
export type BatchRecord = z.output<typeof batchRecord>;

const startedJob = z.object({ job_id: z.string() });

export const listBatches = endpoint({
  method: 'GET',
  path: '/api/admin/batches',
  access: 'admin',
  role: 'support',
  summary: 'Uploads of codes, newest first, without those of a single code',
  query: z.object({ limit: page.limit, cursor: page.cursor, product_id: z.optional(id) }).check(inPages),
  reply: z.array(batch),
});

export const getBatch = endpoint({
  method: 'GET',
  path: '/api/admin/batches/:id',
  access: 'admin',
  role: 'support',
  summary: 'One upload with the numbers of its codes',
  params: z.object({ id: idInPath }),
  reply: batchRecord,
});

export const voidBatch = endpoint({
  method: 'POST',
  path: '/api/admin/batches/:id/void',
  access: 'admin',
  role: 'manager',
  summary: 'Make the free codes of an upload void',
  params: z.object({ id: idInPath }),
  body: z.object({ reason: voidReason, note, expected: expectedCount }),
  reply: startedJob,
});

export const setBatchUseBy = endpoint({
  method: 'POST',
  path: '/api/admin/batches/:id/use-by',
  access: 'admin',
  role: 'manager',
  summary: 'Set the last day of the free codes of an upload',
  params: z.object({ id: idInPath }),
  body: z.object({
    use_by: orNull(dayField('use_by')),
    expected: expectedCount,
    // The last day that the page showed. If it is another by now, the call is refused with `edit_conflict`.
    was: z.optional(
      z.object(
        {
          use_by: orNull(dayField('use_by')),
          use_by_mixed: z.boolean('use_by_mixed must be true or false'),
        },
        'was must have use_by and use_by_mixed',
      ),
    ),
  }),
  reply: startedJob,
});
