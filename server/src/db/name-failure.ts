// Gives connection failures PostgreSQL's error codes, so that callers can distinguish them from refused statements.
import { CONNECTION_FAILURE } from './database.ts';
import { hideValues } from './hide-values.ts';

/**
 * Removes values from `error` and returns it. Sets the code of a connection failure if the error has no code. Errors that
 * pg itself creates have none: lost connection, no free connection in time, no response in time.
 */
export function nameFailure(error: unknown): unknown {
  if (error instanceof Error && !('code' in error && error.code))
    Object.assign(error, { code: CONNECTION_FAILURE });
  return hideValues(error);
}

/** Returns an error for a connection failure that the portal itself detected. */
export function failConnection(message: string, code = CONNECTION_FAILURE): Error {
  return Object.assign(new Error(message), { code });
}
