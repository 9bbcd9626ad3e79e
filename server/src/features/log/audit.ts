// Reads the audit log for staff: one page, or all audit lines as CSV.
import {
  AUDIT_SUBJECTS,
  type AuditLine,
  type AuditSubject,
  exportAudit as exportAuditCall,
  findSuffix,
  hasRole,
} from '@portal/contract';
import { AppError } from '../../app-error.ts';
import { startOfDay } from '../../day.ts';
import type { Database, Db } from '../../db/database.ts';
import { type Cells, type CsvTools, writeCsv } from '../exports/exports.ts';
import { findUser } from '../people/people.sql.ts';
import type { Member } from '../team/callers.sql.ts';
import {
  createAuditLine,
  isKnownSubject,
  type LogFilter,
  type LogLine,
  type LogSubject,
  type LogSummary,
  listSummaries,
  readLog,
} from './audit.sql.ts';

/** Filters of the audit log, with at most one subject (R-TRAIL-03). `kind` contains nouns, separated by commas. */
type AuditQuery = Partial<Record<AuditSubject, string>> & {
  kind?: string | undefined;
  from: string | null;
  to: string | null;
};

/** A page of the audit log. See the type `LogPage` for `next` and `looked_until`. */
type AuditPage = { lines: AuditLine[]; next: string | null; looked_until: string | null };

type PageQuery = AuditQuery & { limit: number; cursor?: string | undefined; caller: Member };

/**
 * Returns one page of the audit lines that match `query`, newest first. `cursor` is `next` of the previous page.
 * @throws AppError user_not_found, product_not_found, cohort_not_found or not_found if the subject is unknown.
 */
export async function listAudit(
  db: Db,
  { limit, cursor, caller, ...query }: PageQuery,
  { timeZone }: { timeZone: string },
): Promise<AuditPage> {
  const filter = { ...(await findFilter(db, query, timeZone)), entries: true };
  const { lines, ...rest } = await readLog(db, filter, { limit, before: cursor ?? null });
  const seesIp = hasRole(caller.team_role, 'manager');
  // The log of a person says with how many others something happened to the person (N-221).
  const groups = filter.subject?.by === 'user_id' ? lines.flatMap(({ group_id }) => group_id ?? []) : [];
  const summaries = groups.length > 0 ? await listSummaries(db, groups) : new Map<string, LogSummary>();
  const toLine = (line: LogLine): AuditLine => {
    const alike = countAlike(line, summaries.get(line.group_id ?? ''));
    return { ...toAuditLine(line, { seesIp }), ...(alike > 1 && { others: alike - 1 }) };
  };
  return { ...rest, lines: lines.map(toLine) };
}

// Number of audit lines that one statement reads. It takes a few milliseconds, so other calls wait only briefly.
const EXPORTED_AT_ONCE = 1_000;
const COLUMNS = 'id at actor action via ip person product coupon cohort batch detail'.split(' ');

/**
 * Writes an audit line about the export, and returns the CSV file in parts. Reads one part after the other, with pauses
 * while the portal is busy.
 * @throws AppError as `listAudit`.
 */
export async function exportAudit(
  db: Database,
  { caller, ...query }: AuditQuery & { caller: Member },
  tools: CsvTools,
): Promise<AsyncGenerator<string>> {
  const filter = await findFilter(db, query, tools.timeZone);
  const filters = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const detail = Object.fromEntries(filters);
  await createAuditLine(db, { actor: caller.email, action: 'audit.export', detail });
  const steps = readSteps(db, filter);
  const file = { columns: COLUMNS, times: ['at'], steps, caller, role: exportAuditCall.role };
  return writeCsv(db, file, tools);
}

async function* readSteps(db: Database, filter: LogFilter): AsyncGenerator<Cells[]> {
  let before: string | null = null;
  do {
    const page = await readLog(db, filter, { limit: EXPORTED_AT_ONCE, before });
    yield page.lines.map((line) => toCells(toAuditLine(line, { seesIp: true })));
    before = page.next;
  } while (before !== null);
}

function toCells({ person, product, coupon, cohort, batch, ...line }: AuditLine): Cells {
  const { id, at, actor, action, via, ip, detail } = line;
  const about = [person?.email, product?.name, coupon?.hint ?? coupon?.id, cohort?.name, batch?.id];
  return [id, at, actor, action, via, ip, ...about.map((cell) => cell ?? null), JSON.stringify(detail)];
}

async function findFilter(db: Db, query: AuditQuery, timeZone: string): Promise<LogFilter> {
  const by = AUDIT_SUBJECTS.find((subject) => query[subject] !== undefined);
  const subject = by === undefined ? null : await findSubject(db, by, query[by] ?? '');
  return {
    subject,
    entries: false,
    kinds: query.kind?.split(',') ?? null,
    from: query.from === null ? null : startOfDay(query.from, timeZone),
    until: query.to === null ? null : startOfDay(query.to, timeZone, { plusDays: 1 }),
  };
}

async function findSubject(db: Db, by: AuditSubject, value: string): Promise<LogSubject> {
  if (by === 'actor') return { by, value };
  if (by === 'email') {
    const user = await findUser(db, value);
    if (user === null) throw new AppError('user_not_found', 'User not found');
    return { by: 'user_id', value: user.id };
  }
  if (await isKnownSubject(db, { by, value })) return { by, value };
  const [code, message] = UNKNOWN[by];
  throw new AppError(code, message);
}

const UNKNOWN = {
  product_id: ['product_not_found', 'Product not found'],
  coupon_id: ['not_found', 'Coupon not found'],
  cohort_id: ['cohort_not_found', 'Cohort not found'],
  batch_id: ['not_found', 'Upload not found'],
  group_id: ['not_found', 'Group not found'],
} as const;

function toAuditLine(line: LogLine, { seesIp }: { seesIp: boolean }): AuditLine {
  const { id, at, actor, actor_name, action, via, ip, detail } = line;
  const { user_id, email, name, product_id, product_name, coupon_id, coupon_code } = line;
  const { cohort_id, cohort_name, batch_id, file_name, group_id } = line;
  return {
    ...{ id, at, actor, actor_name, action, via },
    ip: seesIp ? ip : null,
    person: user_id === null || email === null ? null : { user_id, email, name },
    product: product_id === null || product_name === null ? null : { product_id, name: product_name },
    coupon:
      coupon_id === null || coupon_code === null ? null : { id: coupon_id, hint: findSuffix(coupon_code) },
    cohort: cohort_id === null || cohort_name === null ? null : { cohort_id, name: cohort_name },
    batch: batch_id === null ? null : { id: batch_id, file_name },
    detail,
    group_id,
  };
}

/** Returns to how many people of the line's group the same happened; 0 if the summary does not say it. */
function countAlike({ action }: LogLine, summary: LogSummary | undefined): number {
  const { count = 0, created = count, joined = count } = (summary?.detail ?? {}) as Record<string, number>;
  const counts: Record<string, number> = {
    'user.create': created,
    'member.add': joined,
    'member.move': count,
    ...(summary?.action === 'member.remove' && { 'member.remove': count }),
    ...(summary?.action === 'user.act' && { 'member.remove': count, 'grant.create': count }),
  };
  return Number(counts[action] ?? 0);
}
