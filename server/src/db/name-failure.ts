// Gives every connection failure an error code. So callers can distinguish a connection failure from the error of a
// statement that PostgreSQL refused.
import { CONNECTION_FAILURE } from './database.ts';
import { hideValues } from './hide-values.ts';

/**
 * Removes values of rows and parameters from `error`, because logs must not contain them, and returns `error`. An error
 * without a code gets the code of a connection failure. The client library pg throws errors without a code in three
 * cases: the connection was lost, no connection was free in time, or no response came in time.
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
