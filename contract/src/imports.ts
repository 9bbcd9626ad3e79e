// API calls for imports. Administrators upload a CSV file of products, users or codes, and follow the progress.
import * as z from 'zod/mini';
import { voidReason } from './coupons.ts';
import { endpoint } from './endpoint.ts';
import { id, idInPath, inOrder, inPages, page, time } from './fields.ts';
import { grantDays } from './grants.ts';
import { foundColumns, importPreview, importSample } from './import-preview.ts';
import { IMPORT_LIMIT_BYTES, uploadOf } from './import-upload.ts';
import { readyMails, tell } from './ready-mails.ts';

/** Maximum number of invalid rows in a response. The file errors.csv of the import contains all invalid rows. */
export const NAMED_ERRORS = 100;

const count = z.int();
/** The names of the columns that the import ignores; 'column 3' for a column without a name (R-MAP-22). */
const ignored = z.array(z.string());
/**
 * An invalid row of a file. `row` is its line number; the header is line 1. `message` says why the row is invalid.
 * `content` contains the cells of the row, separated by commas and cut off after 200 characters.
 */
const rowError = z.object({ row: z.int(), message: z.string(), content: z.string() });
export type RowError = z.output<typeof rowError>;

/** The response for a file that was imported. */
const reply = <T extends z.ZodMiniType>(results: T) =>
  z.object({ message: z.string(), import_id: z.string(), results, errors: z.array(rowError), ignored });

/** The response for a file that was only checked (R-IMP-01). */
const checkedFile = z.object({
  import_id: z.string(),
  state: z.literal('checked'),
  preview: importPreview,
  errors: z.array(rowError),
  sample: importSample,
  found: z.nullable(foundColumns),
  ignored,
});
export type CheckedFile = z.output<typeof checkedFile>;

/** The response of a call that imports a file, or only checks it. */
export const replyOrPreview = <T extends z.ZodMiniType>(results: T) => z.union([reply(results), checkedFile]);

/**
 * Counts that an import reports. The response of each call contains only the counts that the specification prescribes
 * for this call.
 */
export const importResults = z.object({
  success: count,
  failures: count,
  duplicates: count,
  productAccess: count,
  /** Number of codes that the portal generated for rows without a code. `success` includes these codes. */
  generated: count,
  total: count,
  /** Only of an upload into a cohort: people who joined it, and people who were members before (R-COHORT-14). */
  joined: z.optional(count),
  already: z.optional(count),
});
export type ImportResults = z.output<typeof importResults>;

export const importProducts = endpoint({
  method: 'POST',
  path: '/api/admin/products/bulk',
  access: 'admin',
  role: 'manager',
  summary: 'Add products from CSV',
  bodyLimit: IMPORT_LIMIT_BYTES,
  body: z.object(uploadOf('products')),
  reply: replyOrPreview(z.pick(importResults, { success: true, failures: true })),
});

export const importUsers = endpoint({
  method: 'POST',
  path: '/api/admin/users/bulk',
  access: 'admin',
  role: 'manager',
  summary: 'Add users from CSV and give them products',
  bodyLimit: IMPORT_LIMIT_BYTES,
  body: z
    .object({
      ...uploadOf('users'),
      product_ids: z._default(
        z
          .array(id, 'Please select at least one product')
          .check(z.maxLength(1000, 'product_ids must name at most 1000 products')),
        [],
      ),
      /** The cohort that the people join. With a cohort, no product is required (R-COHORT-14). */
      cohort_id: z.optional(id),
      tell,
      ...grantDays,
    })
    .check(
      z.refine(({ product_ids, cohort_id }) => product_ids.length > 0 || cohort_id !== undefined, {
        message: 'Please select at least one product',
        path: ['product_ids'],
      }),
      inOrder('starts_on', 'ends_on'),
    ),
  reply: replyOrPreview(z.omit(importResults, { generated: true })),
});

export const importCoupons = endpoint({
  method: 'POST',
  path: '/api/admin/coupons/bulk',
  access: 'admin',
  role: 'manager',
  summary: 'Add codes of one product from CSV',
  bodyLimit: IMPORT_LIMIT_BYTES,
  body: z.object({
    ...uploadOf('coupons'),
    /** What happens to rows without a code (N-15). */
    blanks: z.optional(z.enum(['skip', 'generate'], "blanks must be 'skip' or 'generate'")),
    /** Which comes first in days such as 03/04/2026. Decided by the whole column if it is missing (R-MAP-25). */
    dates: z.optional(z.enum(['dmy', 'mdy'], "dates must be 'dmy' or 'mdy'")),
    productId: z
      .string('Please select a product')
      .check(z.minLength(1, 'Please select a product'), z.maxLength(64)),
  }),
  reply: replyOrPreview(z.omit(importResults, { productAccess: true })),
});

/** States of an import (N-22). */
export const IMPORT_STATES = [
  'running',
  'checked',
  'done',
  'failed',
  'refused',
  'cancelled',
  'taken_back',
] as const;

/** The fields of the state of any job that changes many rows. `reason` is null unless the job has failed. */
const jobFields = z.object({
  id: z.string(),
  file_name: z.nullable(z.string()),
  state: z.enum(['running', 'done', 'failed', 'cancelled']),
  reason: z.nullable(z.string()),
  rows_done: count,
  rows_total: count,
  errors_count: count,
  errors: z.array(rowError),
  created_at: time,
});
/** The fields of the state of a job that is no import. `created_by` is the administrator who started the job. */
const actFields = z.extend(jobFields, { created_by: z.string() });

/**
 * State of an import of a CSV file. `results` is null before rows were imported and while the import runs. `reason` says
 * why the import failed or the file was refused; it is null in all other states.
 */
const importState = z.extend(jobFields, {
  kind: z.enum(['products', 'users', 'coupons']),
  state: z.enum(IMPORT_STATES),
  results: z.nullable(importResults),
  /** Who uploaded the file, or started its import after a check. Null for roles below manager. */
  created_by: z.nullable(z.string()),
  /** The product of the codes in the file; null for files of people or products, and below manager (R-LIFE-33). */
  product_id: z.nullable(z.string()),
  /** The batch of the codes in the file; null if the file adds none (N-21), and for roles below manager. */
  batch_id: z.nullable(z.string()),
  /** True while the rows are only checked. `state` is then 'running'. */
  checking: z.boolean(),
  /** True while the file waits for another file, because the embedded engine works on one at a time (R-IMP-26). */
  waits: z.boolean(),
  /** What became of the mails to people who are told what they get. Missing in lists, and if nobody is told. */
  mails: z.optional(readyMails),
  /** What the check found; null if the file was not checked. */
  preview: z.nullable(importPreview),
  /** Only for a checked file, and not in lists. */
  sample: z.optional(z.nullable(importSample)),
  /** Null for imports of older versions, for refused files, and for roles below manager. */
  found: z.nullable(foundColumns),
  /** Empty in the same cases. */
  ignored,
});
export type ImportState = z.output<typeof importState>;

// Results of a job that changes the free codes of a batch. `voided` is the number of codes that became void.
// `handed_out_meanwhile` is the number of codes that staff wanted to change but that were assigned to users first
// (N-57). `kept` codes stand in another upload too, and stay if the upload was a mistake (N-318).
const voidResults = z.object({ voided: count, kept: count, handed_out_meanwhile: count });
const useByResults = z.object({ changed: count, handed_out_meanwhile: count });

/**
 * State of a job that changes the free codes of a batch (R-LIFE-18, R-LIFE-19). The fields are the same as those of an
 * import, but the job changes codes instead of rows: `rows_done` and `rows_total` are numbers of codes.
 */
const batchActState = z.discriminatedUnion('kind', [
  z.extend(actFields, {
    kind: z.literal('void'),
    results: z.nullable(voidResults),
    /** Why staff make the codes void. (The field `reason` says why the job failed.) */
    void_reason: voidReason,
  }),
  z.extend(actFields, { kind: z.literal('use_by'), results: z.nullable(useByResults) }),
]);
export type BatchActState = z.output<typeof batchActState>;

/**
 * State of the job that takes back the upload `undoes` (R-IMP-11, R-IMP-12). In the results, `people` lost access,
 * `grants` were withdrawn, `left` people left the cohort, and `products` were archived.
 */
const undoState = z.extend(actFields, {
  kind: z.literal('undo'),
  undoes: z.string(),
  results: z.nullable(z.object({ people: count, grants: count, left: count, products: count })),
});

/**
 * State of a job that changes many people (R-IMP-31, R-COHORT-13). `rows_done` and `rows_total` are numbers of people.
 * In the results, `changed` is the number of people who were changed, and `total` the number of those looked at. `full` of
 * them did not join, because they are in the most cohorts already.
 */
const peopleActState = z.extend(actFields, {
  kind: z.literal('act'),
  act: z.enum(['join', 'leave', 'move', 'grant']),
  results: z.nullable(z.object({ changed: count, total: count, full: count })),
});
export type PeopleActState = z.output<typeof peopleActState>;

/** State of an import or of an act on many rows. */
export const jobState = z.union([importState, undoState, batchActState, peopleActState]);
export type JobState = z.output<typeof jobState>;

export const listImports = endpoint({
  method: 'GET',
  path: '/api/admin/imports',
  access: 'admin',
  role: 'viewer',
  summary: 'The imports of 90 days, newest first',
  query: z
    .object({
      kind: z.optional(z.enum(['products', 'users', 'coupons'], 'kind must be products, users or coupons')),
      product_id: z.optional(id),
      /** Without `limit`, the response contains the latest 20 imports. */
      limit: page.limit,
      cursor: page.cursor,
    })
    .check(inPages),
  reply: z.array(importState),
});

export const getImport = endpoint({
  method: 'GET',
  path: '/api/admin/imports/:id',
  access: 'admin',
  role: 'manager',
  summary: 'How far an import, or an act on an upload or on many people, has come',
  params: z.object({ id: idInPath }),
  reply: jobState,
});

/**
 * Cancels a running or failed job: an import, a change of the free codes of a batch, or a change of many people. What the
 * job has already stored stays as it is. If the job has ended or was cancelled before, the call changes nothing.
 */
export const cancelImport = endpoint({
  method: 'POST',
  path: '/api/admin/imports/:id/cancel',
  access: 'admin',
  role: 'manager',
  summary: 'Cancel an import, or an act on an upload or on many people',
  params: z.object({ id: idInPath }),
  reply: jobState,
});
