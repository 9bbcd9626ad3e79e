// Opens the log. Each line is a JSON object. Lines about a request contain the id of the request.
import { AsyncLocalStorage } from 'node:async_hooks';
import { type DestinationStream, type Logger, pino } from 'pino';

const requestIds = new AsyncLocalStorage<string>();

/** Runs `work`. Log lines that `work` writes, even asynchronously, contain `id` as `request_id`. */
export function logWithRequestId<T>(id: string, work: () => T): T {
  return requestIds.run(id, work);
}

/** Returns a logger that writes to `stream`, or to standard output if there is no `stream`. */
export function createLog(level: string, stream?: DestinationStream): Logger {
  return pino({ level, mixin: addRequestId }, stream);
}

function addRequestId(_fields: object, _level: number, logger: Logger): object {
  const request_id = requestIds.getStore();
  // The logger that Fastify creates for a request adds the id itself.
  return request_id === undefined || 'request_id' in logger.bindings() ? {} : { request_id };
}
