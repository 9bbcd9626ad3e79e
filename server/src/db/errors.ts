// Errors of the database: which can be shown or logged, and which mean that the database cannot be used now.
import type { Logger } from 'pino';
import { CONNECTION_FAILURE, isConflict, isConnectionFailure } from './database.ts';

// Fields of an error that may contain values. PGlite puts the parameters into `params`. PostgreSQL puts values of the
// refused row into `detail`, and the line of a COPY into `where`.
const FIELDS_WITH_VALUES = ['params', 'detail', 'where', 'hint', 'internalQuery'];

/**
 * Removes values of rows and parameters from `error`, because logs must not contain them, and returns `error`. Replaces
 * the message if its SQLSTATE is of class 22: such a message quotes a value, as in `invalid input syntax for … "…"`.
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
 * Does the same as `hideValues`, and gives an error without a code the code of a connection failure. The library pg
 * throws errors without a code if the connection was lost, no connection was free in time, or no response came in time.
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

/** Error message for the client. The HTTP status is 503. */
export const SERVICE_BUSY = 'The service is busy. Please try again.';

/** True if the error is temporary, so that the same request may succeed later. */
export function isRefusedForNow(error: unknown): boolean {
  return isConflict(error) || isConnectionFailure(error);
}

/** Logs the error without its stack trace, because an overloaded portal refuses thousands of requests a second. */
export function logRefusedForNow(log: Pick<Logger, 'warn'>, error: Error & { code?: string }): void {
  log.warn({ reason: error.message, code: error.code }, 'request refused for now');
}

/** `message` tells the operator the problem and what to do. `cause` is the engine's error. */
export class DatabaseError extends Error {
  override name = 'DatabaseError';
}
