// The database interface, the same for both engines, and predicates for their errors.

export type Row = Record<string, unknown>;

/** Result of a statement: its rows, and the number of rows that the statement returned or changed. */
export type Result<R extends Row> = { rows: R[]; rowCount: number };

/**
 * Runs SQL, on the pool or in one transaction; store functions accept either. Both engines return times as ISO 8601
 * strings in UTC and bigints as strings, like the JSON of the API; `jsonb` is parsed. `text` must be a constant,
 * because each text becomes a prepared statement.
 */
export type Db = {
  query<R extends Row = Row>(text: string, params?: readonly unknown[]): Promise<Result<R>>;
  /** Runs a script of several statements, for migrations: without parameters and without a time limit. */
  execute(script: string): Promise<void>;
};

/** Number of open connections, of idle ones, and of callers that wait for a connection. */
export type ConnectionCounts = { total: number; idle: number; waiting: number };

/** An open database. `transaction` commits if `work` resolves and rolls back if it throws. Transactions do not nest. */
export type Database = Db & {
  engine: 'embedded' | 'postgres';
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  countConnections(): ConnectionCounts;
  close(): Promise<void>;
};

/** SQLSTATE of a failed connection. */
export const CONNECTION_FAILURE = '08006';
/** SQLSTATE of a server without a free connection. */
export const TOO_BUSY = '53300';

const unknownOutcomes = new WeakSet<object>();

/**
 * Returns the error of a failed commit. If the connection was lost, marks the error: it is unknown whether the commit
 * took effect (see `isOutcomeUnknown`).
 */
export function markOutcomeUnknown(error: unknown): unknown {
  if (error instanceof Error && isConnectionLost(error)) unknownOutcomes.add(error);
  return error;
}

/** True if it is unknown whether the change was made. After any other error the transaction was rolled back. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof Error && unknownOutcomes.has(error);
}

const UNIQUE_VIOLATION = '23505';
const DEADLOCK = '40P01';
// SQLSTATEs of connection errors. Also: the statement was cancelled, usually after its time limit (57014); the server is
// read-only (25006); the server lacks disk space, memory or connections (53).
const NO_CONNECTION = /^(08|57P0[1235]|57014|53|25006)/;
const LOST = /^(08|57P0|E)/;
const TIMED_OUT = '57014';
// Deadlock, serialization failure, lock time-out.
const CONFLICT = /^(40P01|40001|55P03)$/;

function sqlState(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** True if a unique constraint or index refused the row; with `constraint`, only for that one. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (sqlState(error) !== UNIQUE_VIOLATION) return false;
  return constraint === undefined || (error as { constraint?: string }).constraint === constraint;
}

/** True if the statement was cancelled because of a deadlock. The transaction may be retried. */
export function isDeadlock(error: unknown): boolean {
  return sqlState(error) === DEADLOCK;
}

/** True if the transaction conflicted with another one. Nothing was changed, and it may be retried. */
export function isConflict(error: unknown): boolean {
  return CONFLICT.test(sqlState(error));
}

/** True if the server cancelled the statement, usually because it exceeded its time limit. */
export function isTimedOut(error: unknown): boolean {
  return sqlState(error) === TIMED_OUT;
}

/** True if the connection broke or the server did not respond; false if the server only lacks a resource. */
export function isConnectionLost(error: unknown): boolean {
  return isConnectionFailure(error) && LOST.test(sqlState(error));
}

/** True if no connection is free, or too many statements already wait for one. */
export function isTooBusy(error: unknown): boolean {
  return sqlState(error) === TOO_BUSY;
}

/**
 * True if the database could not be reached or did not respond in time; false if it refused the statement. After such a
 * failed commit it is unknown whether the change was made (`isOutcomeUnknown`); only a new query shows it.
 */
export function isConnectionFailure(error: unknown): boolean {
  const code = sqlState(error);
  return NO_CONNECTION.test(code) || /^E(CONN|PIPE|TIMEDOUT|HOSTUNREACH|AI_AGAIN|NOTFOUND)/.test(code);
}
