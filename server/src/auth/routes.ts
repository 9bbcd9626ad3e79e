// Registers all routes of the sign-in service below /auth/v1. These routes have their own error handler and 404
// response, in the format of Supabase Auth.
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { withOrigin } from '../features/log/origin.sql.ts';
import { listAboutRoutes } from './about-routes.ts';
import { authError } from './auth-error.ts';
import { listConfirmRoutes } from './confirm-routes.ts';
import type { AuthContext } from './context.ts';
import { sendError, toAuthError } from './error-bodies.ts';
import { listOtpRoutes } from './otp-routes.ts';
import { listProviderRoutes } from './provider-routes.ts';
import { listTokenRoutes } from './token-routes.ts';
import { listUserRoutes } from './user-routes.ts';
import { listVerifyRoutes } from './verify-routes.ts';
import type { AuthRoute } from './wire.ts';

const BODY_LIMIT_BYTES = 100_000; // requirement A-77

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
      sendError(request, reply, toAuthError(error, context.log, BODY_LIMIT_BYTES)),
    );
    addNotFound(app, routes);
    for (const { method, path, handle } of routes) {
      app.route({
        method,
        url: path,
        handler: (request, reply) =>
          withOrigin({ ip: request.ip, actor: null }, () => handle(request, reply)),
        bodyLimit: BODY_LIMIT_BYTES,
        // Without this option, Fastify would pass a HEAD request to the GET handler, which uses the mailed link. Mail
        // scanners send HEAD requests. Supabase Auth has no HEAD routes.
        exposeHeadRoute: false,
      });
    }
  };
}

// Accepts JSON bodies only. A web page can send text/plain to another site without a CORS preflight. If this service
// accepted text/plain, any web site could make its visitors request mails.
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
