// The id of a request: in its log lines, in its answer, and in the body of an answer that is our fault.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { logWithRequestId } from '../log.ts';

const WELL_FORMED = /^[\w.-]{8,64}$/;

/** Makes ids; takes over that of a proxy that is trusted, so that its log and ours can be read together. */
export function createRequestIds(trustedProxies: number): (request: IncomingMessage) => string {
  return ({ headers }) => {
    const given = headers['x-request-id'];
    const isGood = trustedProxies > 0 && typeof given === 'string' && WELL_FORMED.test(given);
    return isGood ? given : randomUUID();
  };
}

/** Answers the id, and lets every line that is logged meanwhile hold it. */
export function tellRequestId(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    logWithRequestId(request.id, done);
  });
}
