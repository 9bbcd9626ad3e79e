// Recognises errors of the database that are temporary, and logs the requests that fail because of them.
import type { Logger } from 'pino';
import { isConflict, isConnectionFailure } from './database.ts';

/** Message of the response, which has status 503. */
export const SERVICE_BUSY = 'The service is busy. Please try again.';

/** True if the same request may succeed when it is retried. */
export function isRefusedForNow(error: unknown): boolean {
  return isConflict(error) || isConnectionFailure(error);
}

/** Logs the error without its stack, because an overloaded portal refuses thousands of requests a second. */
export function logRefusedForNow(log: Pick<Logger, 'warn'>, error: Error & { code?: string }): void {
  log.warn({ reason: error.message, code: error.code }, 'request refused for now');
}
