// Hangs up on requests that take too long to arrive. An upload may take longer, once its sender was let in.
import type { FastifyInstance } from 'fastify';

/**
 * Gives a body `patienceMs` to arrive, from the end of its head. Routes that take more than `bodyLimitBytes` wait for theirs
 * longer, up to the server's own `requestTimeout`: the guards have let those callers in by then.
 */
export function limitArrival(
  app: FastifyInstance,
  { patienceMs, bodyLimitBytes }: { patienceMs: number; bodyLimitBytes: number },
): void {
  const timers = new WeakMap<object, NodeJS.Timeout>();
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    if (raw.headers['content-length'] === undefined && raw.headers['transfer-encoding'] === undefined)
      return done();
    // An injected request has no connection, and no `complete`.
    if (raw.complete !== false) return done();
    const timer = setTimeout(() => {
      // As the server itself tells those whose time is over: 408.
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
