// Binds an endpoint of the contract to the function that answers it: guard, validation, reply.
import type { Readable } from 'node:stream';
import type { Access, Endpoint, ReplyOf } from '@portal/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type * as z from 'zod/mini';
import { AppError, authenticationRequired } from '../app-error.ts';
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

type Authenticated = <E extends Endpoint>(
  endpoint: E,
  answer: (handled: Handled<E>, reply: FastifyReply) => Promise<ReplyOf<E> | Readable>,
) => void;

type AuthenticatedInStatement = <E extends Endpoint & { access: 'learner' }>(
  endpoint: E,
  answer: (handled: Omit<Handled<E>, 'caller'> & { identity: Identity }) => Promise<ReplyOf<E>>,
) => void;

/**
 * Registers an endpoint. `authenticatedInStatement` looks at the token only: the session is checked by the very statement that does the
 * work, and `answer` throws `authenticationRequired` when it has ended (0016). For the calls that learners make in crowds.
 */
export type Handle = Authenticated & { authenticatedInStatement: AuthenticatedInStatement };

/** The function that registers endpoints on `app`. A handler that answers a stream has said its type itself. */
export function createHandle(app: FastifyInstance, db: Database, verify: VerifyToken): Handle {
  const callers = new WeakMap<FastifyRequest, Caller>();
  const authenticated: Authenticated = (endpoint, answer) => {
    const { access } = endpoint;
    app.route({
      ...describeRoute(endpoint),
      // Before validation, which Fastify does ahead of preHandler: an anonymous bad request is a 401, not a 400.
      onRequest: async (request) => {
        if (access !== 'visitor') callers.set(request, await requireCaller(request, access));
      },
      handler: async (request, response) => {
        const caller = callers.get(request) ?? null;
        const { params, query, body } = request;
        const answered = await answer({ params, query, body, caller } as Handled<typeof endpoint>, response);
        return response.status(endpoint.status ?? 200).send(answered);
      },
    });
  };

  const identities = new WeakMap<FastifyRequest, Identity>();
  const authenticatedInStatement: AuthenticatedInStatement = (endpoint, answer) => {
    app.route({
      ...describeRoute(endpoint),
      onRequest: async (request) => {
        identities.set(request, await requireIdentity(request));
      },
      handler: async (request, response) => {
        const { params, query, body } = request;
        const handled = { params, query, body, identity: identities.get(request) };
        return response.send(await answer(handled as Parameters<typeof answer>[0]));
      },
      // A request that never came to the statement: whose session has ended is not told what is wrong with it.
      errorHandler: async (error, request) => {
        await requireCaller(request, endpoint.access);
        throw error;
      },
    });
  };
  return Object.assign(authenticated, { authenticatedInStatement });

  async function requireIdentity({ headers }: FastifyRequest): Promise<Identity> {
    const token = /^Bearer +([^\s]+)$/i.exec(headers.authorization ?? '')?.[1];
    const identity = token === undefined ? null : await verify(token);
    if (identity === null) throw authenticationRequired();
    return identity;
  }

  async function requireCaller(request: FastifyRequest, access: Access): Promise<Caller> {
    const caller = await findCaller(db, await requireIdentity(request));
    if (caller === null) throw authenticationRequired();
    if (access === 'admin' && caller.user_role !== 'admin') {
      const { email, user_role } = caller;
      throw new AppError('access_restricted', 'Access restricted', { user: { email, user_role } });
    }
    return caller;
  }
}

function describeRoute({
  method,
  path,
  access,
  params,
  query,
  body,
  reply,
  status = 200,
  ...endpoint
}: Endpoint) {
  const { summary, refusals, bodyLimit } = endpoint;
  return {
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
  };
}
