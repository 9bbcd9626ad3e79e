// Gives each request an id, which is in its log lines, in a response header and in the body of 5xx responses.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { logWithRequestId } from '../log.ts';

const WELL_FORMED = /^[\w.-]{8,64}$/;

/**
 * Returns the function that makes the id of a request. A valid `x-request-id` of a trusted proxy is kept, so that the
 * logs of proxy and portal have the same id.
 */
export function createRequestIds(trustedProxies: number): (request: IncomingMessage) => string {
  return ({ headers }) => {
    const given = headers['x-request-id'];
    const isGood = trustedProxies > 0 && typeof given === 'string' && WELL_FORMED.test(given);
    return isGood ? given : randomUUID();
  };
}

/** Sends the id in the header `x-request-id`, and adds it to each line that is logged during the request. */
export function tellRequestId(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    logWithRequestId(request.id, done);
  });
}
