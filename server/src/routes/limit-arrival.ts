// Closes connections whose request body arrives too slowly. Uploads of authenticated callers get more time.
import type { FastifyInstance } from 'fastify';

/**
 * Closes the connection if a body takes more than `patienceMs` to arrive after its headers. Routes that accept more
 * than `bodyLimitBytes` are exempt once their `onRequest` hooks have authenticated the caller; `requestTimeout` still
 * applies.
 */
export function limitArrival(
  app: FastifyInstance,
  { patienceMs, bodyLimitBytes }: { patienceMs: number; bodyLimitBytes: number },
): void {
  const timers = new WeakMap<object, NodeJS.Timeout>();
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    if (raw.headers['content-length'] === undefined && raw.headers['transfer-encoding'] === undefined)
      return done();
    // A request that a test injects has no connection, and its `complete` is undefined.
    if (raw.complete !== false) return done();
    const timer = setTimeout(() => {
      // Fastify's handler of this event responds with 408 and closes the connection.
      if (!raw.complete) app.server.emit('clientError', tooSlow(), raw.socket);
    }, patienceMs);
    timers.set(raw, timer);
    raw.once('close', () => clearTimeout(timer));
    done();
  });
  app.addHook('preParsing', ({ raw, routeOptions }, _reply, _payload, done) => {
    if ((routeOptions.bodyLimit ?? 0) > bodyLimitBytes) clearTimeout(timers.get(raw));
    done();
  });
}

function tooSlow(): Error {
  return Object.assign(new Error('The request took too long to arrive'), {
    code: 'ERR_HTTP_REQUEST_TIMEOUT',
  });
}
