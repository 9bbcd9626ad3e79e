// The headers that protect every answer. They are worked out once: helmet does so for each answer, and took a tenth of the
// time that the server spends on one.
import { createHash } from 'node:crypto';
import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';

/**
 * Returns the headers. `signInUrl`: the sign-in service, which pages call themselves when it is a hosted one. `inline`: texts of
 * the script and the style that stand in the pages.
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

function hashInline(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
