// Registers all routes of the sign-in service below /auth/v1, and its error responses. Defines the routes that describe
// the service: /health, /settings and the public keys.
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { withOrigin } from '../features/log/audit.sql.ts';
import { listConfirmRoutes } from './confirm-routes.ts';
import type { AuthContext } from './context.ts';
import { listOtpRoutes, listVerifyRoutes } from './mailed-link-routes.ts';
import { listProviderRoutes, PROVIDERS } from './provider-routes.ts';
import { listTokenRoutes, listUserRoutes } from './session-routes.ts';
import { type AuthRoute, authError, BODY_LIMIT_BYTES, sendError, toAuthError } from './wire.ts';

/** Returns a Fastify plugin; register it with the prefix /auth/v1. */
export function createAuthRoutes(context: AuthContext): FastifyPluginAsync {
  return async (app) => {
    const routes: AuthRoute[] = [
      ...listAboutRoutes(context),
      ...listOtpRoutes(context),
      ...listVerifyRoutes(context),
      ...listProviderRoutes(context),
      ...listTokenRoutes(context),
      ...listUserRoutes(context),
      ...(await listConfirmRoutes(context)),
    ];
    readJsonOnly(app);
    app.addHook('onSend', async (_request, reply) => {
      reply.header('Referrer-Policy', 'no-referrer');
      if (!reply.hasHeader('Cache-Control')) reply.header('Cache-Control', 'no-store');
    });
    app.setErrorHandler((error, request, reply) =>
      sendError(request, reply, toAuthError(error, context.log)),
    );
    addNotFound(app, routes);
    for (const { method, path, handle } of routes) {
      app.route({
        method,
        url: path,
        handler: (request, reply) =>
          withOrigin({ ip: request.ip, actor: null }, () => handle(request, reply)),
        bodyLimit: BODY_LIMIT_BYTES,
        // By default, Fastify passes HEAD requests to the GET handler. Mail scanners send HEAD requests, which would
        // then use up the mailed link.
        exposeHeadRoute: false,
      });
    }
  };
}

// A web page can send text/plain to another site without a CORS preflight. If this service accepted text/plain, any web
// site could make its visitors request mails.
function readJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'ignore');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    // auth-js sends the content type application/json even with an empty body.
    if (body.length === 0) done(null, undefined);
    else void parse(request, body.toString(), done);
  });
}

function addNotFound(app: FastifyInstance, routes: AuthRoute[]): void {
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0]?.slice(app.prefix.length);
    const methods = routes.filter((route) => route.path === path).map((route) => route.method);
    if (methods.length === 0) return sendError(request, reply, authError(404, 'not_found', 'Not found'));
    reply.header('Allow', methods.join(', '));
    return sendError(request, reply, authError(405, 'method_not_allowed', 'Method not allowed'));
  });
}

function listAboutRoutes({ keys, provider }: AuthContext): AuthRoute[] {
  const isOpen = (name: string) => name === 'email' || (name === 'google' && provider !== null);
  return [
    {
      method: 'GET',
      path: '/health',
      handle: async () => ({ version: 'v2', name: 'GoTrue', description: 'Sign-in service of the portal' }),
    },
    {
      method: 'GET',
      path: '/settings',
      handle: async () => ({
        external: Object.fromEntries(PROVIDERS.map((name) => [name, isOpen(name)])),
        disable_signup: false,
        mailer_autoconfirm: false,
        phone_autoconfirm: false,
        sms_provider: '',
        saml_enabled: false,
        saml_private_key_next_configured: false,
        passkeys_enabled: false,
      }),
    },
    {
      method: 'GET',
      path: '/.well-known/jwks.json',
      handle: async (_request, reply) => {
        reply.header('Cache-Control', 'public, max-age=600');
        return { keys: await keys.listPublicKeys() };
      },
    },
  ];
}
