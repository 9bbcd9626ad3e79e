// Closes connections whose request body arrives too slowly. Uploads of authenticated callers get more time.
import type { FastifyInstance } from 'fastify';

/**
 * Closes the connection if the body of a request has not arrived `patienceMs` after its headers.
 * Exception: routes that accept a body larger than `bodyLimitBytes`. On these routes, the limit no longer applies after
 * the `onRequest` hooks have authenticated the caller. The only time limit is then Fastify's `requestTimeout`.
 */
export function limitArrival(
  app: FastifyInstance,
  { patienceMs, bodyLimitBytes }: { patienceMs: number; bodyLimitBytes: number },
): void {
  const timers = new WeakMap<object, NodeJS.Timeout>();
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    if (raw.headers['content-length'] === undefined && raw.headers['transfer-encoding'] === undefined)
      return done();
    // Tests can inject requests without a connection. The property `complete` of such a request is undefined. The limit
    // does not apply to these requests.
    if (raw.complete !== false) return done();
    const timer = setTimeout(() => {
      // Fastify handles the event `clientError`: it responds with 408 and closes the connection.
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
