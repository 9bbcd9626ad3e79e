// Telling 'nobody answered' from 'somebody said no'.

/** The sign-in service did not answer, or not in its own words. What was asked may be asked again. */
export class Unreachable extends Error {
  override name = 'Unreachable';
}

// The last two are what auth-js says of a lost connection, a 5xx, and an answer that is not JSON.
const NAMES = ['Unreachable', 'AuthRetryableFetchError', 'AuthUnknownError'];

/** True when it may be asked again: a lost connection, or a fault of the service. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && NAMES.includes(error.name));
}
