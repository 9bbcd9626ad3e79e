// Registers API endpoints as Fastify routes, with authentication, validation and the status of the response. Serves the
// OpenAPI description of all endpoints and Swagger UI.
import type { Readable } from 'node:stream';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { type Endpoint, hasRole, isStorable, type ReplyOf } from '@portal/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import type * as z from 'zod/mini';
import { AppError, accessRestricted, authenticationRequired, roleTooLow } from '../app-error.ts';
import type { Database } from '../db/database.ts';
import { type Origin, UNKNOWN_ORIGIN, withOrigin } from '../features/log/audit.sql.ts';
import { type Caller, findCaller, type Identity, type Member } from '../features/team/callers.sql.ts';

/**
 * Returns the identity that an access token names; null if the signature or a claim of the token is invalid. Does not
 * check the session; see `findCaller`.
 */
export type VerifyToken = (token: string) => Promise<Identity | null>;

/**
 * The input of a handler, validated with the schemas of the endpoint. `caller` is null if the endpoint requires no
 * sign-in.
 */
type HandlerInput<E extends Endpoint> = {
  params: z.output<NonNullable<E['params']>>;
  query: z.output<NonNullable<E['query']>>;
  body: z.output<NonNullable<E['body']>>;
  caller: E['access'] extends 'visitor' ? null : E['access'] extends 'admin' ? Member : Caller;
};

type Authenticated = <E extends Endpoint>(
  endpoint: E,
  handler: (input: HandlerInput<E>, reply: FastifyReply) => Promise<ReplyOf<E> | Readable>,
) => void;

type AuthenticatedInStatement = <E extends Endpoint & { access: 'learner' }>(
  endpoint: E,
  handler: (input: Omit<HandlerInput<E>, 'caller'> & { caller: Identity }) => Promise<ReplyOf<E>>,
) => void;

/**
 * Registers an endpoint and its handler. The caller is authenticated first, with one SQL statement.
 * With `authenticatedInStatement`, only the token is checked first. The handler's own SQL statement then checks the
 * session too (0016), and the handler throws `authenticationRequired` if the session has ended. This saves one
 * statement in the two most frequent calls of learners.
 */
export type Handle = Authenticated & { authenticatedInStatement: AuthenticatedInStatement };

/**
 * Returns the function that registers endpoints on `app`. If a handler returns a stream or bytes, it must set the content
 * type.
 */
export function createHandle(app: FastifyInstance, db: Database, verify: VerifyToken): Handle {
  const callers = new WeakMap<FastifyRequest, Caller>();
  const authenticated: Authenticated = (endpoint, handler) => {
    routesFor(endpoint)((routes) =>
      routes.route({
        ...describeRoute(endpoint),
        // Fastify runs onRequest before the validation, so an invalid request without a token gets 401, not 400.
        onRequest: async (request) => {
          if (endpoint.access !== 'visitor') callers.set(request, await requireCaller(request, endpoint));
        },
        preValidation: async ({ query }) => refuseUnstorable(query),
        handler: async (request, response) => {
          const caller = callers.get(request) ?? null;
          const { params, query, body } = request;
          const input = { params, query, body, caller } as HandlerInput<typeof endpoint>;
          // The default status. The handler may replace it with `otherStatus` of the endpoint.
          response.status(endpoint.status ?? 200);
          return response.send(
            await withOrigin(originOf(request, endpoint, caller), () => handler(input, response)),
          );
        },
      }),
    );
  };

  const identities = new WeakMap<FastifyRequest, Identity>();
  const authenticatedInStatement: AuthenticatedInStatement = (endpoint, handler) => {
    app.route({
      ...describeRoute(endpoint),
      onRequest: async (request) => {
        identities.set(request, await requireIdentity(request));
      },
      preValidation: async ({ query }) => refuseUnstorable(query),
      handler: async (request, response) => {
        const caller = identities.get(request);
        identities.delete(request);
        const { params, query, body } = request;
        return response.send(await handler({ params, query, body, caller } as Parameters<typeof handler>[0]));
      },
      // An invalid request never reaches the statement that checks the session. If the session has ended, the response
      // must be 401 all the same, and not say what is wrong with the request.
      errorHandler: async (error, request) => {
        if (identities.has(request)) await requireCaller(request, endpoint);
        throw error;
      },
    });
  };
  return Object.assign(authenticated, { authenticatedInStatement });

  // A body that is no JSON is parsed in a context of its own, so that all other routes go on refusing its type.
  function routesFor({ bodyTypes }: Endpoint) {
    return (register: (routes: FastifyInstance) => void) => {
      if (bodyTypes === undefined) return register(app);
      void app.register((routes, _options, done) => {
        routes.removeAllContentTypeParsers();
        routes.addContentTypeParser([...bodyTypes], { parseAs: 'buffer' }, (_request, bytes, parsed) =>
          parsed(null, bytes),
        );
        register(routes);
        done();
      });
    };
  }

  async function requireIdentity({ headers }: FastifyRequest): Promise<Identity> {
    const token = /^Bearer +([^\s]+)$/i.exec(headers.authorization ?? '')?.[1];
    const identity = token === undefined ? null : await verify(token);
    if (identity === null) throw authenticationRequired();
    return identity;
  }

  async function requireCaller(
    request: FastifyRequest,
    { access, role }: Pick<Endpoint, 'access' | 'role'>,
  ): Promise<Caller> {
    const caller = await findCaller(db, await requireIdentity(request));
    if (caller === null) throw authenticationRequired();
    if (access !== 'admin') return caller;
    const { team_role } = caller;
    if (team_role === null) throw accessRestricted(caller);
    if (role !== undefined && !hasRole(team_role, role)) throw roleTooLow(caller);
    return caller;
  }
}

// The origin is stored in the audit log. The log does not contain IP addresses of learners (R-TRAIL-02).
function originOf({ ip }: FastifyRequest, { access }: Endpoint, caller: Caller | null): Origin {
  if (access !== 'admin' || caller?.user_id == null) return UNKNOWN_ORIGIN;
  const { user_id: id, email, name } = caller;
  return { ip, actor: { id, email, name } };
}

// Refuses query parameters with a character that PostgreSQL cannot store, because a statement with such a text would
// fail. Path parameters need no check: with such a text, the handler finds nothing and responds 404 (C-12).
function refuseUnstorable(query: unknown): void {
  for (const [name, value] of Object.entries(query as Record<string, string | string[]>))
    if (![name, value].flat().every(isStorable))
      throw new AppError('invalid_request', `${toWords(name)} contains a character that cannot be stored`);
}

const toWords = (name: string) => (/^[\w.-]{1,64}$/.test(name) ? name : 'The query');

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
  const { summary, refusals, bodyLimit, bodyTypes, otherStatus = status } = endpoint;
  return {
    method,
    url: path,
    config: { refusals, bodyTypes },
    ...(bodyLimit && { bodyLimit }),
    schema: {
      summary,
      tags: [access],
      ...(access === 'visitor' ? {} : { security: [{ bearer: [] }] }),
      ...(params && { params }),
      ...(query && { querystring: query }),
      ...(body && { body }),
      ...(bodyTypes && { consumes: [...bodyTypes] }),
      response: { [status]: reply, [otherStatus]: reply },
    },
  };
}

/**
 * Registers the OpenAPI description. Call this function before the routes are registered: @fastify/swagger describes
 * only routes that are registered after it.
 */
export async function handleDescription(
  app: FastifyInstance,
  { publicUrl }: { publicUrl: string },
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Partner Benefits Portal', version: '1.0.0' },
      servers: [{ url: publicUrl }],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
    },
    transform: jsonSchemaTransform,
    hideUntagged: true,
  });
  // The option `staticCSP` is not set: it would replace the portal's content security policy with Swagger UI's own
  // policy, which is less strict. `validatorUrl: null` turns off a validator on another website.
  await app.register(swaggerUi, { routePrefix: '/api/docs', uiConfig: { validatorUrl: null } });
  app.get('/api/openapi.json', { schema: { hide: true } }, () => app.swagger());
}
