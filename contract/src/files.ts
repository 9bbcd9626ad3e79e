// Calls about uploads of products, people and codes: the check of a file, the import, its files, and undo.
import * as z from 'zod/mini';
import { voidReason } from './codes.ts';
import { type CsvKind, csvKinds } from './csv.ts';
import { LEFT_OUT, SEPARATORS, SKIP_LINES_MAX } from './csv-head.ts';
import { staffCall } from './endpoint.ts';
import { id, idInPath, inOrder, inPages, page, productIds, requiredId, storable, time } from './fields.ts';
import { grantDays, startedJob } from './grants.ts';
import { readyMails, tell } from './people.ts';

const count = z.int();
const params = z.object({ id: idInPath });

/**
 * Counts in the preview of an import. For rows: total = new + duplicate + in_file_twice + invalid. `was_void` counts those
 * of `new` that exist as void codes with the reason 'mistake'; the import makes them free again. `generated` counts those
 * of `new` for which the portal generates the code (N-24). `access_new`
 * counts new grants, each of one person and one product. `joined` counts the people who join the cohort. `elsewhere`
 * counts, by product, those of the first 1,000 codes that other products also have (R-IMP-06).
 */
export const importPreview = z.object({
  total: count,
  new: count,
  duplicate: count,
  in_file_twice: count,
  invalid: count,
  was_void: count,
  generated: count,
  joined: count,
  /** Codes that differ from an earlier one, in the file or in the product, in upper and lower case only. */
  case_only: z._default(count, 0),
  access_new: count,
  /** New people without a name (N-312). */
  without_name: z._default(count, 0),
  /** Known people who get the name of the file, with `update_names`. */
  renamed: z._default(count, 0),
  elsewhere: z.array(z.object({ product_id: z.string(), name: z.string(), count })),
});
export type ImportPreview = z.output<typeof importPreview>;

/** The first rows of the file: texts by field. */
export const importSample = z.array(z.record(z.string(), z.string()));
export type ImportSample = z.output<typeof importSample>;

/**
 * The columns of the file in their order, and whether its first line has their names. The field of a column is null if
 * the import ignores the column.
 */
export const foundColumns = z.object({
  header: z.boolean(),
  columns: z.array(z.object({ name: z.nullable(z.string()), field: z.nullable(z.string()) })),
});
export type FoundColumns = z.output<typeof foundColumns>;

/** Largest request body of an upload, in bytes. */
export const IMPORT_LIMIT_BYTES = 64_000_000;

/** Maximum length of the name of a file, in characters. */
export const FILE_NAME_MAX = 255;

const columnNumber = z
  .int('columns must have numbers of columns')
  .check(z.gte(0, 'columns counts from 1; 0 is no column'), z.lte(10_000, 'columns must be at most 10000'));

/** Columns that may take the place of the full name (N-308). */
const NAME_PARTS = ['first_name', 'last_name'];
const SKIP_LINES = `skip_lines must be a number from 0 to ${SKIP_LINES_MAX}`;

/** Returns the fields of the body of an upload of this kind. */
export function uploadOf(kind: CsvKind) {
  const { required, optional } = csvKinds[kind];
  const parts = kind === 'users' ? NAME_PARTS : [];
  const columns = [...required, ...optional, ...parts].map(
    (field) => [field, z.optional(columnNumber)] as const,
  );
  return {
    csvData: z
      .string('csvData is required')
      .check(z.refine((text) => text.trim() !== '', 'The CSV file is empty')),
    /** Id of the import, which the page chooses and polls. A second upload with this id imports nothing. */
    import_id: z.optional(z.uuid('import_id must be a UUID')),
    file_name: z.optional(z.string().check(z.maxLength(FILE_NAME_MAX), storable('file_name'))),
    /** The number of the column of each field, if its name is not recognised. The first is 1; 0 is no column (N-16). */
    columns: z.optional(
      z.strictObject(
        Object.fromEntries(columns) as Record<string, z.ZodMiniOptional<typeof columnNumber>>,
        `columns may name ${columns.map(([field]) => field).join(', ')}`,
      ),
    ),
    /** Whether the first line has the names of the columns. If missing, the server decides (N-16). */
    header: z.optional(z.boolean('header must be true or false')),
    /** The character between cells. If missing, the server decides (R-MAP-25). */
    separator: z.optional(z.enum(SEPARATORS, 'separator must be one of , ; tab | :')),
    /** The number of lines above the names of the columns that are left out. If missing, titles are recognised. */
    skip_lines: z.optional(z.int(SKIP_LINES).check(z.gte(0, SKIP_LINES), z.lte(SKIP_LINES_MAX, SKIP_LINES))),
    /** True if the rows are only checked. Staff import or discard the file later (R-IMP-01). */
    check: z.optional(z.boolean('check must be true or false')),
  };
}

/** Maximum number of invalid rows in a response. The file errors.csv contains all of them. */
export const NAMED_ERRORS = 100;

/** Names of the columns that the import ignores; 'column 3' for a column without a name (R-MAP-22). */
const ignored = z.array(z.string());
/** Lines that are no data: titles, further headers, comments and totals (R-MAP-14). No count includes these lines. */
const left_out = z.array(z.object({ line: z.int(), why: z.enum(LEFT_OUT) }));
/**
 * An invalid row of a file. `row` is its line number; the header is line 1. `message` says why the row is invalid.
 * `content` contains the cells of the row, separated by commas and cut off after 200 characters.
 */
const rowError = z.object({ row: z.int(), message: z.string(), content: z.string() });
export type RowError = z.output<typeof rowError>;

const reply = <T extends z.ZodMiniType>(results: T) =>
  z.object({
    message: z.string(),
    import_id: z.string(),
    results,
    errors: z.array(rowError),
    ignored,
    left_out,
  });

/** The response for a file that was checked but not imported (R-IMP-01). */
const checkedFile = z.object({
  import_id: z.string(),
  state: z.literal('checked'),
  preview: importPreview,
  errors: z.array(rowError),
  sample: importSample,
  found: z.nullable(foundColumns),
  ignored,
  left_out,
});
export type CheckedFile = z.output<typeof checkedFile>;

/** Returns the schema of the response of a call that imports or checks a file. */
export const replyOrPreview = <T extends z.ZodMiniType>(results: T) => z.union([reply(results), checkedFile]);

/** Counts of an import. The response of each call contains only those that the specification prescribes for the call. */
export const importResults = z.object({
  success: count,
  failures: count,
  duplicates: count,
  productAccess: count,
  /** Number of codes that the portal generated for rows without a code. `success` includes these codes. */
  generated: count,
  total: count,
  /** Of an upload into a cohort: people who joined the cohort, and people who were members before (R-COHORT-14). */
  joined: z.optional(count),
  already: z.optional(count),
  /** Of an upload of people: new people without a name, and known people who got the name of the file (N-312). */
  without_name: z.optional(count),
  renamed: z.optional(count),
});
export type ImportResults = z.output<typeof importResults>;

export const importProducts = staffCall('manager', 'POST', '/api/admin/products/bulk', {
  summary: 'Add products from CSV',
  bodyLimit: IMPORT_LIMIT_BYTES,
  body: z.object(uploadOf('products')),
  reply: replyOrPreview(z.pick(importResults, { success: true, failures: true })),
});

export const importUsers = staffCall('manager', 'POST', '/api/admin/users/bulk', {
  summary: 'Add users from CSV and give them products',
  bodyLimit: IMPORT_LIMIT_BYTES,
  body: z
    .object({
      ...uploadOf('users'),
      product_ids: z._default(productIds('Please select at least one product'), []),
      /** The cohort that the people join. With a cohort, no product is required (R-COHORT-14). */
      cohort_id: z.optional(id),
      tell,
      /** True if known people get the names of the file. A blank name changes nothing, nor do members of the team. */
      update_names: z.optional(z.boolean('update_names must be true or false')),
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

export const importCoupons = staffCall('manager', 'POST', '/api/admin/coupons/bulk', {
  summary: 'Add codes of one product from CSV',
  bodyLimit: IMPORT_LIMIT_BYTES,
  body: z.object({
    ...uploadOf('coupons'),
    /** What happens to rows without a code (N-15). */
    blanks: z.optional(z.enum(['skip', 'generate'], "blanks must be 'skip' or 'generate'")),
    /** Whether day or month comes first in dates such as 03/04/2026. If missing, all dates of the file decide (R-MAP-25). */
    dates: z.optional(z.enum(['dmy', 'mdy'], "dates must be 'dmy' or 'mdy'")),
    productId: requiredId('Please select a product'),
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

/** The state of any job that changes many rows. `reason` is null unless the job has failed. */
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
const actFields = z.extend(jobFields, { created_by: z.string() });

/**
 * State of an import of a CSV file. `results` is null before and while the import runs. `reason` says why the import
 * failed or the file was refused.
 */
const importState = z.extend(jobFields, {
  kind: z.enum(['products', 'users', 'coupons']),
  state: z.enum(IMPORT_STATES),
  results: z.nullable(importResults),
  /** The person who uploaded the file, or who started the import after a check. Null for roles below manager. */
  created_by: z.nullable(z.string()),
  /** The product of the codes; null for files of people or products, and for roles below manager (R-LIFE-33). */
  product_id: z.nullable(z.string()),
  /** The batch of the new codes; null if there are none (N-21), and for roles below manager. */
  batch_id: z.nullable(z.string()),
  /** True while the rows are only checked. `state` is then 'running'. */
  checking: z.boolean(),
  /** True while the file waits for another one: the embedded engine imports one file at a time (R-IMP-26). */
  waits: z.boolean(),
  /** States of the mails about new products. Missing in lists, and if the upload sends no mails. */
  mails: z.optional(readyMails),
  /** When the next of the queued mails is sent. Missing if none is queued, or the time is not known. */
  mails_due_at: z.optional(time),
  /** Null if the file was not checked. */
  preview: z.nullable(importPreview),
  /** Only for a checked file, and not in lists. */
  sample: z.optional(z.nullable(importSample)),
  /** The line of the file on which each row of `sample` begins. Null for checks of older versions. */
  sample_rows: z.optional(z.nullable(z.array(count))),
  /** Null for imports of older versions, for refused files, and for roles below manager. */
  found: z.nullable(foundColumns),
  /** Empty for imports of older versions, for refused files, and for roles below manager. */
  ignored,
  left_out,
});
export type ImportState = z.output<typeof importState>;

// `handed_out_meanwhile` counts codes that were assigned to users before the job reached them (N-57). `kept` codes are in
// another upload too, and stay free if this upload is undone as a mistake (N-318).
const voidResults = z.object({ voided: count, kept: count, handed_out_meanwhile: count });
const useByResults = z.object({ changed: count, handed_out_meanwhile: count });

/**
 * State of a job that changes the free codes of a batch (R-LIFE-18, R-LIFE-19). `rows_done` and `rows_total` are numbers
 * of codes.
 */
const batchActState = z.discriminatedUnion('kind', [
  z.extend(actFields, {
    kind: z.literal('void'),
    results: z.nullable(voidResults),
    /** Why staff make the codes void. (`reason` says why the job failed.) */
    void_reason: voidReason,
  }),
  z.extend(actFields, { kind: z.literal('use_by'), results: z.nullable(useByResults) }),
]);
export type BatchActState = z.output<typeof batchActState>;

/**
 * State of the job that undoes the upload `undoes` (R-IMP-11, R-IMP-12). In the results, `people` lost access, `grants`
 * were withdrawn, `left` people left the cohort, and `products` were archived.
 */
const undoState = z.extend(actFields, {
  kind: z.literal('undo'),
  undoes: z.string(),
  results: z.nullable(z.object({ people: count, grants: count, left: count, products: count })),
});

/**
 * State of a job that changes many people (R-IMP-31, R-COHORT-13). `rows_done` and `rows_total` are numbers of people.
 * In the results, `changed` of `total` people were changed. `full` people did not join, because they already are in the
 * maximum number of cohorts. `staff` members of the team were left out; `total` does not count them (N-215).
 */
const peopleActState = z.extend(actFields, {
  kind: z.literal('act'),
  act: z.enum(['join', 'leave', 'move', 'grant']),
  results: z.nullable(z.object({ changed: count, total: count, full: count, staff: count })),
  /** The number of people who got a product, and were not told. `tellPeople` tells them. */
  untold: z.optional(count),
  /** States of the mails about new products. Missing if nobody was told. */
  mails: z.optional(readyMails),
  mails_due_at: z.optional(time),
});
export type PeopleActState = z.output<typeof peopleActState>;

/** State of an import or of an action on many rows. */
export const jobState = z.union([importState, undoState, batchActState, peopleActState]);
export type JobState = z.output<typeof jobState>;

export const listImports = staffCall('viewer', 'GET', '/api/admin/imports', {
  summary: 'The imports of 90 days, newest first',
  query: z
    .object({
      kind: z.optional(z.enum(['products', 'users', 'coupons'], 'kind must be products, users or coupons')),
      product_id: z.optional(id),
      /** Without `limit`, the response contains the latest 20 imports. */
      limit: page.limit,
      cursor: page.cursor,
      offset: page.offset,
    })
    .check(inPages),
  reply: z.array(importState),
});

export const getImport = staffCall('manager', 'GET', '/api/admin/imports/:id', {
  summary: 'How far an import, or an act on an upload or on many people, has come',
  params: z.object({ id: idInPath }),
  reply: jobState,
});

/** Cancels a running or failed job; changes that the job made stay. If the job has ended, the call changes nothing. */
export const cancelImport = staffCall('manager', 'POST', '/api/admin/imports/:id/cancel', {
  summary: 'Cancel an import, or an act on an upload or on many people',
  params: z.object({ id: idInPath }),
  reply: jobState,
});

/**
 * Sends a mail to the people who got a product by an action on many people that was started without `tell` (N-215). If
 * the call is repeated, each person still gets only one mail.
 */
export const tellPeople = staffCall('manager', 'POST', '/api/admin/imports/:id/tell', {
  summary: 'Tell the people of an act by email what they got',
  params: z.object({ id: idInPath }),
  reply: jobState,
});

/** Responds as the call that uploaded the file. Repeating the call imports nothing (R-IMP-02). */
export const startImport = staffCall('manager', 'POST', '/api/admin/imports/:id/start', {
  summary: 'Import a file that was checked',
  params,
  reply: replyOrPreview(z.partial(importResults)),
});

export const discardImport = staffCall('manager', 'POST', '/api/admin/imports/:id/discard', {
  summary: 'Discard a file that was checked',
  params,
  reply: z.object({ discarded: z.literal(true) }),
});

/** Each line contains a row as uploaded, its line number, and why the row is invalid. Staff can upload the file again. */
export const getImportErrors = staffCall('manager', 'GET', '/api/admin/imports/:id/errors.csv', {
  summary: 'The invalid rows, as CSV',
  params,
  reply: z.string(),
});

/** Contains at most 100,000 duplicates. Staff can upload the file again. */
export const getImportDuplicates = staffCall('manager', 'GET', '/api/admin/imports/:id/duplicates.csv', {
  summary: 'The duplicates, as CSV',
  params,
  reply: z.string(),
});

/** Contains the codes that the portal generated for rows without a code (R-IMP-15). */
export const getImportGenerated = staffCall('manager', 'GET', '/api/admin/imports/:id/generated.csv', {
  summary: 'The generated codes, as CSV',
  params,
  reply: z.string(),
});

/**
 * The effect that undoing an upload would have (N-94).
 * Upload of people: `grants` of `people` people would end, also because people leave the cohort. `holding` of these people
 * hold a code, and would keep the code. `kept` people keep their access, because they had the access before the upload, or
 * got the access again later (N-318). `lengthened` grants, which the upload only made longer, would stay longer (R-IMP-13).
 * Upload of products: `products` would be archived. `products_kept` would stay, because they have codes or grants
 * (R-IMP-12), or because a later upload contains these products too.
 * `kept_later` people or products are kept because of a later upload or change. `later` contains at most five of these
 * uploads, each with its number of people or products. `import_id` is null for changes by staff.
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

export const getImportUndo = staffCall('manager', 'GET', '/api/admin/imports/:id/undo', {
  summary: 'What taking back an upload would do',
  params,
  reply: undoPreview,
});

/**
 * Undoes an upload in a job. `expected` is the number of people, or of products, that staff saw. Repeating the call
 * responds with the first job (R-IMP-11, R-IMP-12).
 */
export const undoImport = staffCall('manager', 'POST', '/api/admin/imports/:id/undo', {
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
  reply: startedJob,
});
