// Names what went wrong with a connection by PostgreSQL's codes, so that callers can tell it from a refused statement.
import { CONNECTION_FAILURE } from './database.ts';
import { hideValues } from './hide-values.ts';

/** pg gives no code to failures of its own: a connection lost, none free in time, no answer in time. */
export function nameFailure(error: unknown): unknown {
  if (error instanceof Error && !('code' in error && error.code))
    Object.assign(error, { code: CONNECTION_FAILURE });
  return hideValues(error);
}

/** A failure of our own finding. */
export function failConnection(message: string, code = CONNECTION_FAILURE): Error {
  return Object.assign(new Error(message), { code });
}
