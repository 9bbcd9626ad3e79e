// Computes the security headers of all responses once. Calling helmet for each response took a tenth of its time.
import { createHash } from 'node:crypto';
import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';

/**
 * Returns the headers. `signInUrl` is the address of the sign-in service; pages call a hosted one directly. `inline` has the
 * texts of the inline script and the inline style of the pages.
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
        // Pages call a hosted sign-in service directly.
        connectSrc: ["'self'", ...(signInOrigin === publicUrl ? [] : [signInOrigin])],
        // A provider's logo may be on any host, but an https page loads it only by https.
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
    // Only Internet Explorer, Flash and other browsers too old for these pages read the following headers.
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
  protect(response.req, response, (error) => {
    if (error) throw error;
  });
  return response.getHeaders();
}

/** Headers of `pageHeaders` that JSON responses need as well. The others concern documents only. */
const JSON_HEADERS = [
  'cross-origin-resource-policy',
  'referrer-policy',
  'strict-transport-security',
  'x-content-type-options',
];

/** Returns the headers of JSON responses, from those of pages. A shorter list saves 400 bytes of each response. */
export function listJsonHeaders(pageHeaders: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const kept = Object.entries(pageHeaders).filter(([name]) => JSON_HEADERS.includes(name));
  const policy = "default-src 'none';base-uri 'none';frame-ancestors 'none'";
  return { ...Object.fromEntries(kept), 'content-security-policy': policy };
}

function hashInline(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
