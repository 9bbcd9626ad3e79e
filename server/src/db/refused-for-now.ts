// A request that the database cannot serve now: how it is recognised, what its caller is told, and how it is logged.
import type { Logger } from 'pino';
import { isConflict, isConnectionFailure } from './database.ts';

/** The message of the response (503). */
export const SERVICE_BUSY = 'The service is busy. Please try again.';

/** True when the same request may succeed in a moment. */
export function isRefusedForNow(error: unknown): boolean {
  return isConflict(error) || isConnectionFailure(error);
}

/** Logs the request without a stack: an overloaded portal refuses thousands a second. */
export function logRefusedForNow(log: Pick<Logger, 'warn'>, error: Error & { code?: string }): void {
  log.warn({ reason: error.message, code: error.code }, 'request refused for now');
}
