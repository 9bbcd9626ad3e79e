// What a check of a file finds out before the import (R-IMP-01).
import * as z from 'zod/mini';

const count = z.int();

/**
 * Numbers of rows, by what the import will do with them: total = new + duplicate + in_file_twice + invalid. `was_void`
 * counts new codes that were void by mistake, and `generated` new codes that the portal generates (N-24). `access_new`
 * counts new grants, each of one person and one product. `joined` counts the people who join the cohort. `elsewhere`
 * says how many of the first 1,000 codes stand in other products (R-IMP-06).
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
  elsewhere: z.array(z.object({ product_id: z.string(), name: z.string(), count })),
});
export type ImportPreview = z.output<typeof importPreview>;

/** The first rows of the file as they were read: texts by field. */
export const importSample = z.array(z.record(z.string(), z.string()));
export type ImportSample = z.output<typeof importSample>;

/**
 * The columns of the file in their order, and whether its first line has their names. The field of a column is null if
 * the column is ignored. A file without names of which nobody said the columns has one column.
 */
export const foundColumns = z.object({
  header: z.boolean(),
  columns: z.array(z.object({ name: z.nullable(z.string()), field: z.nullable(z.string()) })),
});
export type FoundColumns = z.output<typeof foundColumns>;
