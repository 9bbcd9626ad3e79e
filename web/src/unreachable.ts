// Distinguishes failed requests that may be retried from refusals by the sign-in service.

/** The sign-in service did not respond, or its response was not its own. The request may be retried. */
export class Unreachable extends Error {
  override name = 'Unreachable';
}

// The last two are errors of auth-js: for a lost connection or a 5xx, and for a response that is not JSON.
const NAMES = ['Unreachable', 'AuthRetryableFetchError', 'AuthUnknownError'];

/** Returns true if the request may be retried: a lost connection or an error of the service. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && NAMES.includes(error.name));
}
