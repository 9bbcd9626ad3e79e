// Opens the log. Each line is a JSON object; in a terminal, a short text. Lines about a request contain the id of the
// request.
import { AsyncLocalStorage } from 'node:async_hooks';
import { type DestinationStream, type Logger, pino } from 'pino';

const requestIds = new AsyncLocalStorage<string>();

/** Runs `work`. Log lines that `work` writes, even asynchronously, contain `id` as `request_id`. */
export function logWithRequestId<T>(id: string, work: () => T): T {
  return requestIds.run(id, work);
}

/** Returns a logger that writes to `stream`, or to standard output if there is no `stream`. */
export function createLog(level: string, stream?: DestinationStream): Logger {
  const terminal = { write: (line: string) => void process.stdout.write(formatForTerminal(line)) };
  return pino({ level, mixin: addRequestId }, stream ?? (process.stdout.isTTY ? terminal : undefined));
}

/** Returns a line of the log as a person reads it: time, level and message, and the stack of an error (R-DAY-53). */
export function formatForTerminal(line: string): string {
  const { time, level, msg = '', err, pid: _pid, hostname: _hostname, ...fields } = JSON.parse(line);
  const more = Object.keys(fields).length > 0 ? ` ${JSON.stringify(fields)}` : '';
  const clock = new Date(time).toTimeString().slice(0, 8);
  return `${clock} ${pino.levels.labels[level]} ${msg}${more}\n${err?.stack ? `${err.stack}\n` : ''}`;
}

function addRequestId(_fields: object, _level: number, logger: Logger): object {
  const request_id = requestIds.getStore();
  // The logger that Fastify creates for a request adds the id itself.
  return request_id === undefined || 'request_id' in logger.bindings() ? {} : { request_id };
}
