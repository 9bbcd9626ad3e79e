// Exports codes, people and redemptions as CSV or as a workbook (R-IMP-20 to R-IMP-23, R-MAP-12).
import * as calls from '@portal/contract';
import {
  type AppUser,
  BYTE_ORDER_MARK,
  findSuffix,
  hasRole,
  maskCode,
  type TeamRole,
  writeCsvLine,
} from '@portal/contract';
import { AppError } from '../../app-error.ts';
import { createThrottle, type PauseTools } from '../../bulk/run-bulk.ts';
import { type Clock, createTimeIn, startOfDay } from '../../day.ts';
import type { Database } from '../../db/database.ts';
import { requireProduct } from '../access/grants.ts';
import { CODE_STATES, type CodeStatus } from '../codes/codes.sql.ts';
import { isMasked, type Masking } from '../codes/codes.ts';
import { requireCohort } from '../cohorts/members.ts';
import { createAuditLine, currentOrigin, hideAddress, withOrigin } from '../log/audit.sql.ts';
import { listSelected, type Selection } from '../people/search.sql.ts';
import type { Member } from '../team/callers.sql.ts';
import { requireActor } from '../team/team.ts';
import * as rows from './exports.sql.ts';
import type { Cells } from './xlsx.ts';

export type { Cells };

/** `timeZone` is an IANA name. The times of the files are in this zone (R-MAP-40). */
export type CsvTools = PauseTools & { timeZone: string };
export type ListExportTools = CsvTools & Masking & Clock;

// Number of rows that one statement reads. Such a statement takes a few milliseconds, so other calls wait only briefly.
const STEP_ROWS = { embedded: 1_000, postgres: 5_000 };

/** Who exports; `format` is set if the file is a workbook, which the log names. */
type Order = { caller: Member; format?: 'xlsx' };

type CodesQuery = {
  product_id?: string | undefined;
  status?: CodeStatus | undefined;
  batch_id?: string | undefined;
  archived?: 'true' | 'false' | undefined;
  generated?: 'true' | undefined;
};

/**
 * Returns the codes that match the query as rows in steps. The first step has the names of the columns. Without a product
 * or batch, `archived` selects either the codes of archived products or all others (N-202). Writes an audit line when the
 * export begins, and a second one with the number of rows when the export ends or fails.
 * @throws AppError product_not_found, not_found if the product or the batch is unknown.
 */
export async function exportCodes(
  db: Database,
  { caller, format, ...query }: CodesQuery & Order,
  tools: ListExportTools,
): Promise<AsyncGenerator<Cells[]>> {
  const { product_id = null, status, batch_id, generated, archived } = query;
  if (product_id !== null) await requireProduct(db, product_id);
  const ofBatch = batch_id === undefined ? product_id : await requireBatch(db, batch_id);
  const states = status === undefined ? Object.values(CODE_STATES) : [CODE_STATES[status]];
  // A batch belongs to one product. If the query names another product, no code matches.
  const isNone = product_id !== null && product_id !== ofBatch;
  const slices: rows.CodeSlice[] = generated ? ['generated'] : slicesOf(ofBatch, states);
  const conditions = {
    ...{ states, batch_id, product_id: ofBatch, today: tools.dayOf(tools.now()) },
    archived: ofBatch === null ? archived === 'true' : undefined,
  };
  const codes = readCodes(db, isNone ? [] : slices, conditions, { with_cohorts: false });
  const masked = isMasked(caller, tools);
  const columns = [
    ...['code', 'product', 'status', 'use_by', 'email', 'assigned_at', 'revoked_at'],
    ...['reason', 'file_name'],
  ];
  const toCells = (code: rows.ExportedCode): Cells => [
    ...[showCode(code, masked), code.product, STATUS[code.state], code.use_by, code.email, code.assigned_at],
    ...[code.revoked_at, code.reason, code.file_name],
  ];
  const times = ['assigned_at', 'revoked_at'];
  const file = { columns, times, steps: mapSteps(codes, toCells), caller, role: calls.exportCodes.role };
  return writeAudited(db, file, { action: 'export.codes', query, format }, tools);
}

/**
 * Returns the people who match the query, and writes audit lines, as `exportCodes` does.
 * @throws AppError cohort_not_found.
 */
export async function exportUsers(
  db: Database,
  { caller, format, ...query }: Selection & Order,
  tools: ListExportTools,
): Promise<AsyncGenerator<Cells[]>> {
  if (query.cohort_id !== undefined) await requireCohort(db, query.cohort_id);
  const columns = ['email', 'name', 'phone_number', 'cohorts', 'created_at', 'last_sign_in_at'];
  const times = ['created_at', 'last_sign_in_at'];
  const file = { columns, times, steps: readUsers(db, query), caller, role: calls.exportUsers.role };
  return writeAudited(db, file, { action: 'export.users', query, format }, tools);
}

type RedemptionsQuery = {
  product_id?: string | undefined;
  cohort_id?: string | undefined;
  from: string | null;
  to: string | null;
};

/**
 * Returns the assigned and revoked codes, including codes of archived products, and writes audit lines, as `exportCodes`
 * does. `from` and `to` are days. The columns `visited_at` and `outcome` are empty, because the
 * portal does not store these values yet.
 * @throws AppError product_not_found, cohort_not_found.
 */
export async function exportRedemptions(
  db: Database,
  { caller, format, ...query }: RedemptionsQuery & Order,
  tools: ListExportTools,
): Promise<AsyncGenerator<Cells[]>> {
  const { product_id = null, cohort_id, from, to } = query;
  if (product_id !== null) await requireProduct(db, product_id);
  if (cohort_id !== undefined) await requireCohort(db, cohort_id);
  const states = [CODE_STATES.assigned, CODE_STATES.revoked];
  const conditions = {
    ...{ states, cohort_id, today: tools.dayOf(tools.now()) },
    from: from === null ? null : startOfDay(from, tools.timeZone),
    until: to === null ? null : startOfDay(to, tools.timeZone, { plusDays: 1 }),
  };
  const codes = readCodes(db, slicesOf(product_id, states), conditions, { with_cohorts: true });
  const masked = isMasked(caller, tools);
  const seesPeople = hasRole(caller.team_role, 'support');
  const columns = [
    ...['assigned_at', ...(seesPeople ? ['email', 'name'] : []), 'product', 'code', 'cohorts'],
    ...[...(seesPeople ? ['by'] : []), 'visited_at', 'outcome', 'state'],
  ];
  const toCells = (code: rows.ExportedCode): Cells => [
    code.assigned_at,
    ...(seesPeople ? [code.email, code.name] : []),
    ...[code.product, showCode(code, masked), code.cohorts],
    ...(seesPeople ? [code.assigned_by] : []),
    ...[null, null, code.state],
  ];
  // The export stops if the caller's role is no longer high enough for the contents of the file.
  const role = masked ? (seesPeople ? 'support' : calls.exportRedemptions.role) : 'manager';
  const times = ['assigned_at', 'visited_at'];
  const file = { columns, times, steps: mapSteps(codes, toCells), caller, role } as const;
  return writeAudited(db, file, { action: 'export.redemptions', query, format }, tools);
}

type AuditedExport = {
  action: string;
  query: Record<string, string | null | undefined>;
  format: Order['format'] | undefined;
};

async function writeAudited(
  db: Database,
  file: Table,
  { action, query, format }: AuditedExport,
  tools: CsvTools,
): Promise<AsyncGenerator<Cells[]>> {
  const filters = Object.fromEntries(
    Object.entries(hideAddress(query)).filter(
      ([, value]) => value !== undefined && value !== null && value !== '',
    ),
  );
  const line = { actor: file.caller.email, action };
  const about = { ...filters, ...(format && { format }) };
  await createAuditLine(db, { ...line, detail: about });
  // The parts are read after the handler of the request has returned. So the origin of the request is kept for the last
  // audit line.
  const origin = currentOrigin();
  return (async function* () {
    let sent = 0;
    let isWhole = false;
    // The embedded engine runs one statement at a time. Reading ahead would use the pauses between the steps, which are
    // meant for the calls of learners.
    const steps = db.engine === 'embedded' ? file.steps : readAhead(file.steps);
    const count = (cells: Cells) => {
      sent += 1;
      return cells;
    };
    try {
      yield* readTable(db, { ...file, steps: mapSteps(steps, count) }, tools);
      isWhole = true;
    } finally {
      const detail = { ...about, rows: sent, whole: isWhole };
      await withOrigin(origin, () => createAuditLine(db, { ...line, detail }));
    }
  })();
}

const STATUS = { free: 'available', held: 'assigned', revoked: 'revoked', void: 'void', expired: 'expired' };

function showCode({ coupon_code }: rows.ExportedCode, masked: boolean): string {
  return masked ? maskCode(findSuffix(coupon_code)) : coupon_code;
}

// Returns one slice for each stored state of a product's codes, because an index is sorted by product and stored state.
// Expired codes are stored as free until the job makes them void. Without a product, returns one slice of all codes,
// which are read in the order of their ids.
function slicesOf(product_id: string | null, states: readonly number[]): rows.CodeSlice[] {
  if (product_id === null) return [null];
  const stored = states.includes(CODE_STATES.expired) ? new Set([...states, CODE_STATES.available]) : states;
  return [...stored].map((state) => ({ product_id, state }));
}

async function* readCodes(
  db: Database,
  slices: readonly rows.CodeSlice[],
  conditions: rows.CodeConditions,
  { with_cohorts }: { with_cohorts: boolean },
): AsyncGenerator<rows.ExportedCode[]> {
  const size = STEP_ROWS[db.engine];
  for (const slice of slices) {
    let after: rows.After = null;
    do {
      const part = { slice, after, size, with_cohorts };
      const step: rows.Step<rows.ExportedCode> = await rows.readCodes(db, part, conditions);
      yield step.rows;
      after = step.last;
    } while (after !== null);
  }
}

async function* readUsers(db: Database, selection: Selection): AsyncGenerator<Cells[]> {
  const limit = STEP_ROWS[db.engine];
  let after: string | undefined;
  let users: (AppUser & { cursor?: string })[];
  do {
    users = await listSelected(db, selection, { limit, after });
    const ids = users.map(({ id }) => id);
    const details = await rows.listUserDetails(db, ids);
    yield users.map(({ email, name, phone_number }, index): Cells => {
      const { cohorts = null, created_at = null, last_sign_in_at = null } = details[index] ?? {};
      return [email, name, phone_number, cohorts, created_at, last_sign_in_at];
    });
    const last = users.at(-1);
    after = last?.cursor ?? last?.id;
  } while (users.length === limit);
}

async function* mapSteps<T>(steps: AsyncIterable<T[]>, toCells: (row: T) => Cells): AsyncGenerator<Cells[]> {
  for await (const step of steps) yield step.map(toCells);
}

async function requireBatch(db: Database, batch_id: string): Promise<string> {
  const product_id = await rows.findProductOfBatch(db, batch_id);
  if (product_id === null) throw new AppError('not_found', 'Upload not found');
  return product_id;
}

type Table = {
  columns: readonly string[];
  /** The columns that contain times, as ISO 8601 in UTC. */
  times?: readonly string[];
  steps: AsyncIterable<Cells[]>;
  caller: Member;
  role: TeamRole;
};

/**
 * Yields the rows of the table: first one with the names of the columns. Writes the times in the zone `timeZone`, which
 * the header names, such as `assigned_at (Europe/Berlin)`; in UTC, the header has the plain name (N-315). `steps` reads
 * the rows from the database, at most 5,000 at a time. Pauses between the steps while the portal is busy. Reads the
 * caller again before each step. Throws, so that the file ends early, if a step fails, the session has ended, or the
 * caller's role is below `role`.
 */
async function* readTable(
  db: Database,
  { columns, times = [], steps, caller, role }: Table,
  { timeZone, ...tools }: CsvTools,
): AsyncGenerator<Cells[]> {
  const throttle = createThrottle(tools);
  const isTime = columns.map((name) => times.includes(name));
  const inZone = createTimeIn(timeZone);
  const toZone = (cells: Cells): Cells =>
    cells.map((cell, at) => (isTime[at] && typeof cell === 'string' ? inZone(cell) : cell));
  yield [columns.map((name, at) => (isTime[at] && timeZone !== 'UTC' ? `${name} (${timeZone})` : name))];
  await requireActor(db, caller, role);
  for await (const rows of steps) {
    yield rows.map(toZone);
    await throttle();
    await requireActor(db, caller, role);
  }
}

/** Returns the table as a CSV file in parts. Throws as `readTable` does. */
export function writeCsv(db: Database, table: Table, tools: CsvTools): AsyncGenerator<string> {
  return toCsv(readTable(db, table, tools));
}

/** Returns the rows as a CSV file in parts. The first step is the line of column names. */
export async function* toCsv(steps: AsyncIterable<Cells[]>): AsyncGenerator<string> {
  let mark = BYTE_ORDER_MARK;
  for await (const rows of steps) {
    yield mark + rows.map(writeCsvLine).join('');
    mark = '';
  }
}

/**
 * Yields the parts in their order. Reads the next part while the caller processes the current part, so that the
 * database and the caller work concurrently. Two parts are in memory.
 */
export async function* readAhead<T>(parts: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = parts[Symbol.asyncIterator]();
  let reading = iterator.next();
  try {
    for (;;) {
      const { done, value } = await reading;
      if (done) return;
      reading = iterator.next();
      // Prevents an unhandled rejection. The error is thrown when the caller requests the part.
      reading.catch(() => undefined);
      yield value;
    }
  } finally {
    // If the caller stops early, waits for the read that has begun.
    await reading.catch(() => undefined);
    await iterator.return?.();
  }
}
