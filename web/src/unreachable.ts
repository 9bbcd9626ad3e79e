// Distinguishes requests that may be retried from requests that the sign-in service has rejected.

/**
 * Thrown if the sign-in service did not respond, or if another server responded in its place. The request may be
 * retried.
 */
export class Unreachable extends Error {
  override name = 'Unreachable';
}

// The last two names are errors of auth-js: for a lost connection or a 5xx, and for a response that is not JSON.
const NAMES = ['Unreachable', 'AuthRetryableFetchError', 'AuthUnknownError'];

/** Returns true if the request may be retried: after a lost connection or an error of the service. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && NAMES.includes(error.name));
}
