// Gives connection failures PostgreSQL's error codes, so that callers can distinguish them from refused statements.
import { CONNECTION_FAILURE } from './database.ts';
import { hideValues } from './hide-values.ts';

/**
 * Removes values from `error`, and sets a code if there is none. Errors of pg itself have none: connection lost, no
 * free connection in time, no response in time. Returns the error.
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
