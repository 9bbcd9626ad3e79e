// The one shape of the database, whichever of the two engines is behind it.

export type Row = Record<string, unknown>;

/** What a statement did: the rows it answered and how many rows it changed or found. */
export type Result<R extends Row> = { rows: R[]; rowCount: number };

/**
 * Something that runs SQL: the pool or one transaction. The same store function takes either.
 * Times come back as ISO 8601 strings in UTC and bigints as strings, on both engines, because that is how the wire
 * writes them; `jsonb` comes back parsed. `text` must be a constant: it names a prepared statement.
 */
export type Db = {
  query<R extends Row = Row>(text: string, params?: readonly unknown[]): Promise<Result<R>>;
  /** Runs a script of several statements without parameters and without a deadline, as migrations are. */
  execute(script: string): Promise<void>;
};

/** How many connections stand, how many of them have nothing to do, and how many callers wait for one. */
export type ConnectionCounts = { total: number; idle: number; waiting: number };

/** An open database. `transaction` commits when `work` resolves and rolls back when it throws; it does not nest. */
export type Database = Db & {
  engine: 'embedded' | 'postgres';
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  countConnections(): ConnectionCounts;
  close(): Promise<void>;
};

/** PostgreSQL's code (SQLSTATE) for a connection that failed. */
export const CONNECTION_FAILURE = '08006';
/** PostgreSQL's code for a server that has no connection left. */
export const TOO_BUSY = '53300';

const unknownOutcomes = new WeakSet<object>();

/** Marks a failed commit of which nobody can say whether it was made; any other error stays as it is. */
export function doubtOutcome(error: unknown): unknown {
  if (error instanceof Error && isConnectionLost(error)) unknownOutcomes.add(error);
  return error;
}

/** True when it is not known whether the change was made. After any other error of a transaction it was not. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof Error && unknownOutcomes.has(error);
}

const UNIQUE_VIOLATION = '23505';
const DEADLOCK = '40P01';
const READ_ONLY = '25006';
// Also what was cancelled, mostly for taking too long (57014), what was sent to a replica (25006), and a server that lacks
// room, memory or connections (53).
const NO_CONNECTION = /^(08|57P0[1235]|57014|53|25006)/;
const LOST = /^(08|57P0|E)/;
const TIMED_OUT = '57014';
// A deadlock, a serialization failure, a lock that was not given back in time.
const CONFLICT = /^(40P01|40001|55P03)$/;

function sqlState(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** True when `error` says that a unique constraint or index refused the row; `constraint` narrows it to one. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (sqlState(error) !== UNIQUE_VIOLATION) return false;
  return constraint === undefined || (error as { constraint?: string }).constraint === constraint;
}

/** True when the statement was ended because two transactions waited for each other; it may be tried again. */
export function isDeadlock(error: unknown): boolean {
  return sqlState(error) === DEADLOCK;
}

/** True when another transaction was in the way; nothing was changed, and it may be tried again. */
export function isConflict(error: unknown): boolean {
  return CONFLICT.test(sqlState(error));
}

/** True when the server ended the statement, mostly because it took too long. */
export function isTimedOut(error: unknown): boolean {
  return sqlState(error) === TIMED_OUT;
}

/** True when the connection broke or the server did not respond, rather than that it lacks something. */
export function isConnectionLost(error: unknown): boolean {
  return isConnectionFailure(error) && LOST.test(sqlState(error));
}

/** True when the server may not be written to, such as one that another has taken the place of. */
export function isReadOnly(error: unknown): boolean {
  return sqlState(error) === READ_ONLY;
}

/** True when the database is there but has no connection left, or more statements wait for one than is worth it. */
export function isTooBusy(error: unknown): boolean {
  return sqlState(error) === TOO_BUSY;
}

/**
 * True when `error` says that the database could not be reached or did not answer in time, rather than that it refused a
 * statement. What a commit that ends so has done is not known (`isOutcomeUnknown`); asking again tells.
 */
export function isConnectionFailure(error: unknown): boolean {
  const code = sqlState(error);
  return NO_CONNECTION.test(code) || /^E(CONN|PIPE|TIMEDOUT|HOSTUNREACH|AI_AGAIN|NOTFOUND)/.test(code);
}
