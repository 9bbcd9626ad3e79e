// Binds an endpoint of the contract to the function that answers it: guard, validation, reply.
import type { Readable } from 'node:stream';
import type { Access, Endpoint, ReplyOf } from '@portal/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type * as z from 'zod/mini';
import { AppError } from '../app-error.ts';
import type { Database } from '../db/database.ts';
import { type Caller, findCaller, type Identity } from '../stores/callers.ts';

/** Checks an access token's signature and claims: who it names, or null. Whether the session lives is not its matter. */
export type VerifyToken = (token: string) => Promise<Identity | null>;

/** What a handler is given: everything is validated, and the caller is known unless anybody may call. */
export type Handled<E extends Endpoint> = {
  params: z.output<NonNullable<E['params']>>;
  query: z.output<NonNullable<E['query']>>;
  body: z.output<NonNullable<E['body']>>;
  caller: E['access'] extends 'visitor' ? null : Caller;
};

export type Handle = <E extends Endpoint>(
  endpoint: E,
  answer: (handled: Handled<E>, reply: FastifyReply) => Promise<ReplyOf<E> | Readable>,
) => void;

/** The function that registers endpoints on `app`. A handler that answers a stream has said its type itself. */
export function createHandle(app: FastifyInstance, db: Database, verify: VerifyToken): Handle {
  const callers = new WeakMap<FastifyRequest, Caller>();
  return (endpoint, answer) => {
    const { method, path, access, params, query, body, reply, status = 200, summary, refusals } = endpoint;
    const { bodyLimit } = endpoint;
    app.route({
      method,
      url: path,
      config: { refusals },
      ...(bodyLimit && { bodyLimit }),
      schema: {
        summary,
        tags: [access],
        ...(access === 'visitor' ? {} : { security: [{ bearer: [] }] }),
        ...(params && { params }),
        ...(query && { querystring: query }),
        ...(body && { body }),
        response: { [status]: reply },
      },
      // Before validation, which Fastify does ahead of preHandler: an anonymous bad request is a 401, not a 400.
      onRequest: async (request) => {
        if (access !== 'visitor') callers.set(request, await requireCaller(request, access));
      },
      handler: async (request, response) => {
        const caller = callers.get(request) ?? null;
        const { params, query, body } = request;
        const answered = await answer({ params, query, body, caller } as Handled<typeof endpoint>, response);
        return response.status(status).send(answered);
      },
    });
  };

  async function requireCaller(request: FastifyRequest, access: Access): Promise<Caller> {
    const token = /^Bearer +([^\s]+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const identity = token === undefined ? null : await verify(token);
    const caller = identity && (await findCaller(db, identity));
    if (caller === null) throw new AppError('authentication_required', 'Authentication required');
    if (access === 'admin' && caller.user_role !== 'admin') {
      const { email, user_role } = caller;
      throw new AppError('access_restricted', 'Access restricted', { user: { email, user_role } });
    }
    return caller;
  }
}
