// Imports: many products, users or codes in one CSV file, and how far each has come.
import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { id, storable, time } from './fields.ts';

/** An upload with more than this is refused. */
export const IMPORT_LIMIT_BYTES = 64_000_000;
/** How many invalid rows an answer names; all of them are in the import's errors.csv. */
export const NAMED_ERRORS = 100;

const upload = {
  csvData: z
    .string('csvData is required')
    .check(z.refine((text) => text.trim() !== '', 'The CSV file is empty')),
  /** Made by the page, so that it can ask how far the import has come, and so that asking twice imports once. */
  import_id: z.optional(z.uuid('import_id must be a UUID')),
  file_name: z.optional(z.string().check(z.maxLength(255), storable('file_name'))),
};

const count = z.int();
/** An invalid row: its line in the file, the header being line 1; why; and how it begins, its cells one after the other. */
const rowError = z.object({ row: z.int(), message: z.string(), content: z.string() });
export type RowError = z.output<typeof rowError>;

const reply = <T extends z.ZodMiniType>(results: T) =>
  z.object({ message: z.string(), import_id: z.string(), results, errors: z.array(rowError) });

/** Every import counts so; each call answers the counts that the specification names for it. */
export const importResults = z.object({
  success: count,
  failures: count,
  duplicates: count,
  productAccess: count,
  /** Codes that the portal made for blank rows; `success` counts them too. */
  generated: count,
  total: count,
});
export type ImportResults = z.output<typeof importResults>;

export const importProducts = endpoint({
  method: 'POST',
  path: '/api/admin/products/bulk',
  access: 'admin',
  summary: 'Add products from CSV',
  bodyLimit: IMPORT_LIMIT_BYTES,
  body: z.object(upload),
  reply: reply(z.pick(importResults, { success: true, failures: true })),
});

export const importUsers = endpoint({
  method: 'POST',
  path: '/api/admin/users/bulk',
  access: 'admin',
  summary: 'Add users from CSV and give them products',
  bodyLimit: IMPORT_LIMIT_BYTES,
  body: z.object({
    ...upload,
    product_ids: z
      .array(id, 'Please select at least one product')
      .check(
        z.minLength(1, 'Please select at least one product'),
        z.maxLength(1000, 'product_ids must name at most 1000 products'),
      ),
  }),
  reply: reply(z.omit(importResults, { generated: true })),
});

export const importCoupons = endpoint({
  method: 'POST',
  path: '/api/admin/coupons/bulk',
  access: 'admin',
  summary: 'Add codes of one product from CSV',
  bodyLimit: IMPORT_LIMIT_BYTES,
  body: z.object({
    ...upload,
    productId: z
      .string('Please select a product')
      .check(z.minLength(1, 'Please select a product'), z.maxLength(64)),
  }),
  reply: reply(z.omit(importResults, { productAccess: true })),
});

/** An import as its page shows it; `results` once it has ended, `reason` once it failed. */
const importState = z.object({
  id: z.string(),
  kind: z.enum(['products', 'users', 'coupons']),
  file_name: z.nullable(z.string()),
  state: z.enum(['running', 'done', 'failed', 'cancelled']),
  reason: z.nullable(z.string()),
  rows_done: count,
  rows_total: count,
  results: z.nullable(importResults),
  errors_count: count,
  errors: z.array(rowError),
  created_at: time,
});
export type ImportState = z.output<typeof importState>;

export const listImports = endpoint({
  method: 'GET',
  path: '/api/admin/imports',
  access: 'admin',
  summary: 'The latest imports, newest first',
  reply: z.array(importState),
});

export const getImport = endpoint({
  method: 'GET',
  path: '/api/admin/imports/:id',
  access: 'admin',
  summary: 'How far an import has come',
  params: z.object({ id }),
  reply: importState,
});

/** Ends an import that runs or has failed; rows that are in stay. One that is done is left as it is. */
export const cancelImport = endpoint({
  method: 'POST',
  path: '/api/admin/imports/:id/cancel',
  access: 'admin',
  summary: 'Cancel an import',
  params: z.object({ id }),
  reply: importState,
});

/** Answers text/csv: the invalid rows as they were, with line and reason, to be mended and uploaded again. */
export const getImportErrors = endpoint({
  method: 'GET',
  path: '/api/admin/imports/:id/errors.csv',
  access: 'admin',
  summary: 'The invalid rows, as CSV',
  params: z.object({ id }),
  reply: z.string(),
});
