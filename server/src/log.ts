// Opens the log. Each line is a JSON object; lines about a request contain the id of the request.
import { AsyncLocalStorage } from 'node:async_hooks';
import { type DestinationStream, type Logger, pino } from 'pino';

const requestIds = new AsyncLocalStorage<string>();

/** Runs `work`. All log lines that `work` writes, also asynchronously, contain `id` as `request_id`. */
export function logWithRequestId<T>(id: string, work: () => T): T {
  return requestIds.run(id, work);
}

/** Returns a logger, which writes to `stream` or, by default, to standard output. */
export function createLog(level: string, stream?: DestinationStream): Logger {
  return pino({ level, mixin: addRequestId }, stream);
}

function addRequestId(_fields: object, _level: number, logger: Logger): object {
  const request_id = requestIds.getStore();
  // Fastify's logger of a request adds the request id itself.
  return request_id === undefined || 'request_id' in logger.bindings() ? {} : { request_id };
}
