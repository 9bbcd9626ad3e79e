// Gives each request an id. The request's log lines contain the id. A header of each response contains it, and the body
// of 5xx responses too.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { logWithRequestId } from '../log.ts';

const WELL_FORMED = /^[\w.-]{8,64}$/;

/**
 * Returns the function that returns the id of a request. If a trusted proxy sends a valid header `x-request-id`, its
 * value is the id. So the logs of the proxy and the portal show the same id. Otherwise the id is random.
 */
export function createRequestIds(trustedProxies: number): (request: IncomingMessage) => string {
  return ({ headers }) => {
    const given = headers['x-request-id'];
    const isGood = trustedProxies > 0 && typeof given === 'string' && WELL_FORMED.test(given);
    return isGood ? given : randomUUID();
  };
}

/**
 * Sends the request's id in the header `x-request-id`, and adds the id to each line that is logged during the request.
 */
export function tellRequestId(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    logWithRequestId(request.id, done);
  });
}
