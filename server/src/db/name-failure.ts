// Gives connection failures PostgreSQL's error codes, so that callers can tell them from refused statements.
import { CONNECTION_FAILURE } from './database.ts';
import { hideValues } from './hide-values.ts';

/**
 * Returns `error` without values, and with a code. pg sets no code on its own errors: connection lost, none free in
 * time, no response in time.
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
