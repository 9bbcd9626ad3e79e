// The database interface, which PostgreSQL and PGlite both implement, and functions that classify database errors.
import type { Logger } from 'pino';

export type Row = Record<string, unknown>;

/** `rows` are the rows that the statement returned. `rowCount` is the number of rows that it returned or changed. */
export type Result<R extends Row> = { rows: R[]; rowCount: number };

/**
 * Runs SQL in one transaction, or outside of transactions. Both engines return times as ISO 8601 strings in UTC,
 * bigints as strings, and `jsonb` parsed. `text` must be a constant, because each text becomes a prepared statement.
 */
export type Db = {
  query<R extends Row = Row>(text: string, params?: readonly unknown[]): Promise<Result<R>>;
  /** Runs a script of several statements, for migrations. The script has no parameters and no time limit. */
  execute(script: string): Promise<void>;
};

/** Numbers for the metrics: open connections, idle connections, and callers that wait for a connection. */
export type ConnectionCounts = { total: number; idle: number; waiting: number };

/**
 * An open database. `transaction` commits if `work` resolves, and rolls back if it rejects. Transactions do not nest.
 */
export type Database = Db & {
  engine: 'embedded' | 'postgres';
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  countConnections(): ConnectionCounts;
  close(): Promise<void>;
};

/** SQLSTATE of a failed connection. */
const CONNECTION_FAILURE = '08006';
/** SQLSTATE of a server that accepts no more connections. Also used if too many callers wait for a pool connection. */
export const TOO_BUSY = '53300';

const unknownOutcomes = new WeakSet<object>();

/**
 * Returns `error`, with which a commit failed. If the connection was lost, also marks `error` for `isOutcomeUnknown`,
 * because nobody knows whether the server has committed.
 */
export function markOutcomeUnknown(error: unknown): unknown {
  if (error instanceof Error && isConnectionLost(error)) unknownOutcomes.add(error);
  return error;
}

/**
 * True if the connection was lost during the commit, so that nobody knows whether the server has committed. After any
 * other error, the transaction was rolled back.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof Error && unknownOutcomes.has(error);
}

const UNIQUE_VIOLATION = '23505';
const DEADLOCK = '40P01';
// SQLSTATEs that mean that the server cannot be used now. 08 and 57P0: connection errors. 57014: the statement was
// cancelled, usually by its time limit. 53: no disk space, memory or connections. 25006: the server is read-only.
const NO_CONNECTION = /^(08|57P0[1235]|57014|53|25006)/;
const LOST = /^(08|57P0|E)/;
const TIMED_OUT = '57014';
// SQLSTATEs of a deadlock, a serialization failure and a lock time-out.
const CONFLICT = /^(40P01|40001|55P03)$/;

function sqlState(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** True if a unique constraint or index, with the name `constraint` if it is given, refused the row. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (sqlState(error) !== UNIQUE_VIOLATION) return false;
  return constraint === undefined || (error as { constraint?: string }).constraint === constraint;
}

/** True if the transaction was cancelled because of a deadlock. The caller may retry the transaction. */
export function isDeadlock(error: unknown): boolean {
  return sqlState(error) === DEADLOCK;
}

/** True if a concurrent transaction caused the rollback. The caller may retry the transaction. */
export function isConflict(error: unknown): boolean {
  return CONFLICT.test(sqlState(error));
}

/** True if the server cancelled the statement, usually because the statement exceeded its time limit. */
export function isTimedOut(error: unknown): boolean {
  return sqlState(error) === TIMED_OUT;
}

/**
 * True if the connection broke or the server did not respond. False if the server lacks a resource, such as disk space.
 */
export function isConnectionLost(error: unknown): boolean {
  return isConnectionFailure(error) && LOST.test(sqlState(error));
}

/** True if no connection is free, or too many statements already wait for one. */
export function isTooBusy(error: unknown): boolean {
  return sqlState(error) === TOO_BUSY;
}

/**
 * True if the database could not be reached, could not run the statement now, or did not respond in time. False if the
 * database refused the statement. After such an error of a commit, a new query must show whether it took effect.
 */
export function isConnectionFailure(error: unknown): boolean {
  const code = sqlState(error);
  return NO_CONNECTION.test(code) || /^E(CONN|PIPE|TIMEDOUT|HOSTUNREACH|AI_AGAIN|NOTFOUND)/.test(code);
}

const PG_UTC_TIME = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00$/;
const PG_TIME = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)([+-]\d\d)(?::?(\d\d))?$/;

/** Converts a timestamptz in PostgreSQL's format to ISO 8601 in UTC with milliseconds. Returns other text unchanged. */
export function toIsoTime(text: string): string {
  // Most databases use UTC. A time in UTC is rewritten as text, because a calculation would take ten times as long.
  const utc = PG_UTC_TIME.exec(text);
  if (utc) return `${utc[1]}T${utc[2]}.${(utc[3] ?? '').padEnd(3, '0').slice(0, 3)}Z`;
  const match = PG_TIME.exec(text);
  if (!match) return text; // 'infinity', or a year that does not have four digits
  const [, day, clock, hours, minutes = '00'] = match;
  return new Date(`${day}T${clock}${hours}:${minutes}`).toISOString();
}

/** Parsers for the column types that pg and PGlite would return as different JavaScript values, by pg_type.oid. */
export const PARSERS: Record<number, (text: string) => string> = {
  20: String, // int8
  1082: String, // date
  1184: toIsoTime, // timestamptz
};

/**
 * Builds the column lists for the fields of T, in the order of `fields`. Example with the fields `a` and `b`: `list` is
 * `a, b`; `of('t')` is `t.a, t.b`. `valuesOf(row)` returns the values of the fields. If a field of T is missing in
 * `fields`, the program does not compile.
 */
export function sqlColumns<T extends object>(fields: Record<keyof T & string, true>) {
  const names = Object.keys(fields) as (keyof T & string)[];
  return {
    fields,
    list: names.join(', '),
    of: (alias: string) => names.map((name) => `${alias}.${name}`).join(', '),
    valuesOf: (row: T) => names.map((name) => row[name]),
  };
}

// Functions for ids in requests. PostgreSQL throws an error if a statement compares a uuid column with a text that is
// no UUID, or a bigint column with a text that is no number. So such a text is replaced by null.

/** True if `value` can be the id of a row: a positive bigint. */
export function isRowId(value: string): boolean {
  return /^[1-9]\d{0,18}$/.test(value) && BigInt(value) < 2n ** 63n;
}

/** Returns `value` if it can be the id of a row, else null. A query with null finds nothing, as with an unknown id. */
export function asRowId(value: string): string | null {
  return isRowId(value) ? value : null;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isUuid(value: string): boolean {
  return UUID.test(value);
}

/** Returns `value` if it is a UUID, else null. A query with null finds nothing, as with an unknown id (C-12). */
export function asUuid(value: string | null | undefined): string | null {
  return value != null && isUuid(value) ? value : null;
}

// Database errors: removes values that logs must not contain, and recognises that the database cannot be used now.

// Fields of an error that may contain values of the database. `params` of PGlite contains the parameters. PostgreSQL
// writes values of the refused row into `detail`, and the line of a COPY into `where`.
const FIELDS_WITH_VALUES = ['params', 'detail', 'where', 'hint', 'internalQuery'];

/**
 * Removes values of rows and parameters from `error`, because logs must not contain them. Returns `error`. Messages of
 * SQLSTATE class 22 quote a value, as in `invalid input syntax for … "…"`, so such a message is replaced.
 */
export function hideValues(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  for (const name of FIELDS_WITH_VALUES) Reflect.deleteProperty(error, name);
  if ('code' in error && typeof error.code === 'string' && /^22.{3}$/.test(error.code)) {
    const original = error.message;
    error.message = `a value does not fit (SQLSTATE ${error.code})`;
    if (original !== '') error.stack = error.stack?.replaceAll(original, error.message);
  }
  return error;
}

/**
 * Runs `hideValues`, and sets a missing error code to that of a connection failure. Errors of the library pg have no
 * code if the connection was lost, no connection was free in time, or no response came in time.
 */
export function nameFailure(error: unknown): unknown {
  if (error instanceof Error && !('code' in error && error.code))
    Object.assign(error, { code: CONNECTION_FAILURE });
  return hideValues(error);
}

/** Returns an error for a connection failure that the portal detected itself. */
export function failConnection(message: string, code = CONNECTION_FAILURE): Error {
  return Object.assign(new Error(message), { code });
}

/** Message of responses with the status 503. */
export const SERVICE_BUSY = 'The service is busy. Please try again.';

/** True if the error is temporary, so that the client may repeat the request. */
export function isRefusedForNow(error: unknown): boolean {
  return isConflict(error) || isConnectionFailure(error);
}

/** Logs the error without its stack trace, because an overloaded portal refuses thousands of requests a second. */
export function logRefusedForNow(log: Pick<Logger, 'warn'>, error: Error & { code?: string }): void {
  log.warn({ reason: error.message, code: error.code }, 'request refused for now');
}

/** An error for the operator. `message` describes the problem and what to do. `cause` is the error of the engine. */
export class DatabaseError extends Error {
  override name = 'DatabaseError';
}
