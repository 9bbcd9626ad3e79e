// The log: one JSON line an event, and in each the id of the request in which it happened.
import { AsyncLocalStorage } from 'node:async_hooks';
import { type DestinationStream, type Logger, pino } from 'pino';

const requestIds = new AsyncLocalStorage<string>();

/** Lines of whatever `work` sets going hold `request_id`. */
export function logWithRequestId<T>(id: string, work: () => T): T {
  return requestIds.run(id, work);
}

/** Opens the log; to the standard output unless `stream` is given. */
export function createLog(level: string, stream?: DestinationStream): Logger {
  return pino({ level, mixin: addRequestId }, stream);
}

function addRequestId(_fields: object, _level: number, logger: Logger): object {
  const request_id = requestIds.getStore();
  // A request's own logger has it already.
  return request_id === undefined || 'request_id' in logger.bindings() ? {} : { request_id };
}
