// Opens the log: one JSON line per event, with the id of the request that caused it.
import { AsyncLocalStorage } from 'node:async_hooks';
import { type DestinationStream, type Logger, pino } from 'pino';

const requestIds = new AsyncLocalStorage<string>();

/** Runs `work`. All log lines written meanwhile, also asynchronously, get this `request_id`. */
export function logWithRequestId<T>(id: string, work: () => T): T {
  return requestIds.run(id, work);
}

/** Opens the log, on standard output unless `stream` is given. */
export function createLog(level: string, stream?: DestinationStream): Logger {
  return pino({ level, mixin: addRequestId }, stream);
}

function addRequestId(_fields: object, _level: number, logger: Logger): object {
  const request_id = requestIds.getStore();
  // Fastify's logger of a request already adds the id.
  return request_id === undefined || 'request_id' in logger.bindings() ? {} : { request_id };
}
