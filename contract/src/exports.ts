// API calls that write lists of staff as CSV files: codes, people and redemptions (R-IMP-20).
import * as z from 'zod/mini';
import { codeStatus, onlyArchived, onlyGenerated } from './coupons.ts';
import { endpoint } from './endpoint.ts';
import { dayField, id, inOrder, orNull, page } from './fields.ts';
import { userRole } from './users.ts';

/** Responds with the codes, newest first; with a product, first those of one state, then those of the next. */
export const exportCodes = endpoint({
  method: 'GET',
  path: '/api/admin/export/codes.csv',
  access: 'admin',
  role: 'manager',
  summary: 'Codes, as CSV; as hints if codes are hidden from every role',
  query: z.object({
    product_id: z.optional(id),
    status: z.optional(codeStatus),
    batch_id: z.optional(id),
    archived: onlyArchived,
    generated: onlyGenerated,
  }),
  reply: z.string(),
});

/** Responds with the people, newest first. */
export const exportUsers = endpoint({
  method: 'GET',
  path: '/api/admin/export/users.csv',
  access: 'admin',
  role: 'manager',
  summary: 'People with their cohorts, as CSV',
  query: z.object({ cohort_id: z.optional(id), role: z.optional(userRole), q: page.q }),
  reply: z.string(),
});

/**
 * Responds with the codes that were handed out, newest code first. `from` and `to` are days of the portal's time zone.
 * A viewer gets neither addresses nor names (N-04). Callers below the role manager get hints of the codes (N-05).
 */
export const exportRedemptions = endpoint({
  method: 'GET',
  path: '/api/admin/export/redemptions.csv',
  access: 'admin',
  role: 'viewer',
  summary: 'Codes that were handed out, as CSV',
  query: z
    .object({
      product_id: z.optional(id),
      cohort_id: z.optional(id),
      from: orNull(dayField('from')),
      to: orNull(dayField('to')),
    })
    .check(inOrder('from', 'to')),
  reply: z.string(),
});
