// Headers of all responses: the security headers, and the id of the request.
import { createHash, randomUUID } from 'node:crypto';
import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import helmet from 'helmet';
import { logWithRequestId } from '../log.ts';

/**
 * Returns the security headers of pages. Call this function once, at the start: helmet takes a tenth of the response
 * time. `signInUrl` is the address of the sign-in service. `inline` contains the inline script and the inline style
 * sheet of the pages. The content security policy allows no other inline scripts and styles.
 */
export function listSecurityHeaders(
  publicUrl: string,
  signInUrl: string,
  inline: { script: string; style: string } = { script: '', style: '' },
): OutgoingHttpHeaders {
  const secure = publicUrl.startsWith('https:');
  const signInOrigin = new URL(signInUrl).origin;
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const protect = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'", hashInline(inline.script)],
        styleSrc: ["'self'", hashInline(inline.style)],
        // Pages call a hosted sign-in service directly, so the policy must allow requests to its origin.
        connectSrc: ["'self'", ...(signInOrigin === publicUrl ? [] : [signInOrigin])],
        // The provider's logo may be on any host. Pages with an https address load the logo only over https.
        imgSrc: ["'self'", 'data:', 'https:', ...(secure ? [] : ['http:'])],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
    strictTransportSecurity: secure,
    xFrameOptions: { action: 'deny' },
    // Omits three headers that only Flash and old browsers such as Internet Explorer use.
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
  protect(response.req, response, (error) => {
    if (error) throw error;
  });
  return response.getHeaders();
}

/** Names of the page headers that JSON responses need too. The other page headers concern only HTML documents. */
const JSON_HEADERS = [
  'cross-origin-resource-policy',
  'referrer-policy',
  'strict-transport-security',
  'x-content-type-options',
];

/** Sends `pageHeaders` with pages, and fewer of them with JSON, which saves about 400 bytes for each response. */
export function sendSecurityHeaders(app: FastifyInstance, pageHeaders: OutgoingHttpHeaders): void {
  const kept = Object.entries(pageHeaders).filter(([name]) => JSON_HEADERS.includes(name));
  const policy = "default-src 'none';base-uri 'none';frame-ancestors 'none'";
  const jsonHeaders = { ...Object.fromEntries(kept), 'content-security-policy': policy };
  app.addHook('onRequest', (request, reply, done) => {
    // A route with the field `refusals` belongs to the API (see http/handle.ts) and responds with JSON.
    reply.headers('refusals' in request.routeOptions.config ? jsonHeaders : pageHeaders);
    done();
  });
}

function hashInline(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

// Each request has an id, which appears in the log lines of the request, in a header of the response, and in the body
// of a 5xx response.

const WELL_FORMED = /^[\w.-]{8,64}$/;

/**
 * Returns the function that chooses the id of a request: a random id, or the valid header `x-request-id` of a trusted
 * proxy. With the proxy's id, the logs of the proxy and the portal show the same id.
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
export function sendRequestId(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    logWithRequestId(request.id, done);
  });
}
