// Recognises temporary errors of the database, and logs the requests that fail because of them.
import type { Logger } from 'pino';
import { isConflict, isConnectionFailure } from './database.ts';

/** Error message for the client. The HTTP status is 503. */
export const SERVICE_BUSY = 'The service is busy. Please try again.';

/** True if the error is temporary, so that the same request may succeed later. */
export function isRefusedForNow(error: unknown): boolean {
  return isConflict(error) || isConnectionFailure(error);
}

/**
 * Logs the error without its stack trace. An overloaded portal refuses thousands of requests a second, so with stack
 * traces the log would get very large.
 */
export function logRefusedForNow(log: Pick<Logger, 'warn'>, error: Error & { code?: string }): void {
  log.warn({ reason: error.message, code: error.code }, 'request refused for now');
}
