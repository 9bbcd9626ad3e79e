// The headers that protect every answer. They are worked out once: helmet does so for each answer, and took a tenth of the
// time that the server spends on one.
import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';
import type { InlineHashes } from './pages/built-pages.ts';

/**
 * `signInUrl`: of the sign-in service, which pages speak to themselves when it is a hosted one. `inlineHashes`: of the
 * scripts and styles that stand in the pages themselves, as in `BuiltPages`.
 */
export function listSecurityHeaders(
  publicUrl: string,
  signInUrl: string,
  inlineHashes: InlineHashes = { scripts: [], styles: [] },
): OutgoingHttpHeaders {
  const secure = publicUrl.startsWith('https:');
  const signInOrigin = new URL(signInUrl).origin;
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const protect = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'", ...inlineHashes.scripts],
        styleSrc: ["'self'", ...inlineHashes.styles],
        // The page speaks to a hosted sign-in service itself.
        connectSrc: ["'self'", ...(signInOrigin === publicUrl ? [] : [signInOrigin])],
        // A deployer's logo may lie anywhere, but a page that came by TLS takes none without it.
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
    // Only Internet Explorer, Flash and browsers too old for the pages ever read these, and each page would carry them.
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
  protect(response.req, response, (error) => {
    if (error) throw error;
  });
  return response.getHeaders();
}
