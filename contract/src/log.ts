// Calls that read the audit log (who changed what, when, and how), and lists of staff as CSV files (R-IMP-20).
import * as z from 'zod/mini';
import { codeStatus, onlyArchived, onlyGenerated } from './codes.ts';
import { staffCall } from './endpoint.ts';
import { dayField, id, inOrder, knownEmail, line, orNull, page, rowLimit, time } from './fields.ts';
import { userRole } from './people.ts';

/** First part of the name of an action, such as `coupon` in coupon.redeem. */
const NOUNS = (
  'coupon grant product user cohort member session mail wait import batch team key webhook purchase campaign note ' +
  'person identity export audit job tally'
).split(' ');

/** The subjects by which the log can be read. A request names at most one of them. */
export const AUDIT_SUBJECTS = [
  'email',
  'product_id',
  'coupon_id',
  'cohort_id',
  'batch_id',
  'actor',
  'group_id',
] as const;
export type AuditSubject = (typeof AUDIT_SUBJECTS)[number];

/** Largest number of entries or lines that the server reads for one page (R-TRAIL-04). */
export const AUDIT_LOOKED_AT = 5_000;

/**
 * One audit line (R-TRAIL-03). `actor` is 'learner', the address of a member of the team, 'key:' and a name, 'operator' or
 * 'portal'. `actor_name` is the member's name at that time, or null. `ip` is null for learners, and for callers below
 * the role manager. `person`, `product`, `coupon`, `cohort` and `batch` are the subjects of the line. `group_id` is the
 * group of the lines that one job or one press wrote; null for a line on its own (R-DAY-40).
 */
export const auditLine = z.object({
  id: z.string(),
  at: time,
  actor: z.string(),
  actor_name: z.nullable(z.string()),
  action: z.string(),
  via: z.enum(['page', 'key', 'operator', 'portal']),
  ip: z.nullable(z.string()),
  person: z.nullable(z.object({ user_id: z.string(), email: z.string(), name: z.nullable(z.string()) })),
  product: z.nullable(z.object({ product_id: z.string(), name: z.string() })),
  coupon: z.nullable(z.object({ id: z.string(), hint: z.nullable(z.string()) })),
  cohort: z.nullable(z.object({ cohort_id: z.string(), name: z.string() })),
  batch: z.nullable(z.object({ id: z.string(), file_name: z.nullable(z.string()) })),
  detail: z.record(z.string(), z.unknown()),
  group_id: z.nullable(z.string()),
  /**
   * The number of other people of the group to whom the same happened. Only in the log of a person, if the group has
   * ended, and if its job counted these people.
   */
  others: z.optional(z.number()),
});
export type AuditLine = z.output<typeof auditLine>;

const nouns = z.string('kind must be text').check(
  z.maxLength(400, 'kind must be at most 400 characters'),
  z.refine(
    (value) => value.split(',').every((noun) => NOUNS.includes(noun)),
    `kind must be one or more of ${NOUNS.join(', ')}, separated by commas`,
  ),
);

const filters = {
  email: z.optional(knownEmail),
  product_id: z.optional(id),
  coupon_id: z.optional(id),
  cohort_id: z.optional(id),
  batch_id: z.optional(id),
  actor: z.optional(line('actor', 300)),
  group_id: z.optional(id),
  /** First parts of names of actions, separated by commas. */
  kind: z.optional(nouns),
  /** First and last day, in the time zone of the portal. */
  from: orNull(dayField('from')),
  to: orNull(dayField('to')),
};

type Subjects = Partial<Record<AuditSubject, unknown>>;
const THINGS = AUDIT_SUBJECTS.filter((subject) => subject !== 'group_id');
const countThings = (query: Subjects) => THINGS.filter((subject) => query[subject] !== undefined).length;
const oneSubject = z.refine<Subjects>(
  (query) => countThings(query) <= 1,
  'Choose one of email, product_id, coupon_id, cohort_id, batch_id and actor',
);
const groupAlone = z.refine<Subjects>(
  (query) => query.group_id === undefined || countThings(query) === 0,
  'Choose group_id or one of email, product_id, coupon_id, cohort_id, batch_id and actor',
);

/**
 * Responds with one page of the log. Without a subject, and for a product, a cohort, an upload or an actor, the rows are
 * entries: lines without a group, and the summary of each group that has ended. `detail.count` of a summary is the number
 * from the job. For a product, a group with only one line about it is this line. For a person, a code or a group, the rows
 * are all lines; those of a group are without its summary. The header `X-Next-Cursor` is set unless the page is the last.
 * If the server has read 5,000 rows, the page ends with fewer rows than `limit`, and the header `X-Looked-Until` has the
 * time of the last row
 * read (R-TRAIL-04). The number of all lines is not counted (N-34).
 */
export const listAudit = staffCall('support', 'GET', '/api/admin/audit', {
  summary: 'The log: who changed what, newest first',
  query: z
    .object({
      ...filters,
      limit: rowLimit(200, 'limit must be a whole number from 1 to 200'),
      cursor: page.cursor,
    })
    .check(oneSubject, groupAlone, inOrder('from', 'to')),
  reply: z.array(auditLine),
});

/** Responds with all lines that match. The call itself writes an audit line (R-TRAIL-05). */
export const exportAudit = staffCall('manager', 'GET', '/api/admin/audit.csv', {
  summary: 'The log, as CSV',
  query: z.object(filters).check(oneSubject, groupAlone, inOrder('from', 'to')),
  reply: z.string(),
});

const codesQuery = z.object({
  product_id: z.optional(id),
  status: z.optional(codeStatus),
  batch_id: z.optional(id),
  archived: onlyArchived,
  generated: onlyGenerated,
});
const usersQuery = z.object({ cohort_id: z.optional(id), role: z.optional(userRole), q: page.q });
const redemptionsQuery = z
  .object({
    product_id: z.optional(id),
    cohort_id: z.optional(id),
    from: orNull(dayField('from')),
    to: orNull(dayField('to')),
  })
  .check(inOrder('from', 'to'));

/** Responds with the codes, newest first; with a product, sorted by state. */
export const exportCodes = staffCall('manager', 'GET', '/api/admin/export/codes.csv', {
  summary: 'Codes, as CSV; as hints if codes are hidden from every role',
  query: codesQuery,
  reply: z.string(),
});

/** Responds with the rows of the CSV file as a workbook of texts (N-305). The other two likewise. */
export const exportCodesXlsx = staffCall(exportCodes.role, 'GET', '/api/admin/export/codes.xlsx', {
  summary: 'Codes, as an Excel file',
  query: codesQuery,
  reply: z.string(),
});

export const exportUsers = staffCall('manager', 'GET', '/api/admin/export/users.csv', {
  summary: 'People with their cohorts, as CSV',
  query: usersQuery,
  reply: z.string(),
});

export const exportUsersXlsx = staffCall(exportUsers.role, 'GET', '/api/admin/export/users.xlsx', {
  summary: 'People with their cohorts, as an Excel file',
  query: usersQuery,
  reply: z.string(),
});

/** Newest code first. Viewers get neither addresses nor names (N-04), callers below manager only hints (N-05). */
export const exportRedemptions = staffCall('viewer', 'GET', '/api/admin/export/redemptions.csv', {
  summary: 'Codes that were handed out, as CSV',
  query: redemptionsQuery,
  reply: z.string(),
});

export const exportRedemptionsXlsx = staffCall(
  exportRedemptions.role,
  'GET',
  '/api/admin/export/redemptions.xlsx',
  { summary: 'Codes that were handed out, as an Excel file', query: redemptionsQuery, reply: z.string() },
);
