// Where a sign-in may lead: to the portal's own pages and nowhere else.

const MAX_LENGTH = 2048;
// Parsers drop or bend these, each in its own way.
const BENT = /[\s\\\p{Cc}\p{Cs}]/u;
// The fragment with the session would follow a redirect from there, to Google for one.
const NO_PAGE = /^\/+(?:auth\/v1|api|dev|metrics|healthz|readyz)(?:\/|$)/;

/**
 * The address to go on to: `candidate` when it is a page of the portal's own origin, else the portal's home. Judged as
 * browsers do (WHATWG URL); what is answered is the parsed address, never the text that came in.
 */
export function resolveRedirect(candidate: unknown, publicUrl: string): string {
  const home = new URL('/', publicUrl);
  if (typeof candidate !== 'string' || candidate.length > MAX_LENGTH || BENT.test(candidate))
    return home.href;
  const url = URL.parse(candidate);
  // A blob: address has the origin of the page that made it, so the scheme is compared as well.
  if (url === null || url.origin !== home.origin || url.protocol !== home.protocol) return home.href;
  if (url.username !== '' || url.password !== '' || !isPage(url.pathname)) return home.href;
  url.hash = '';
  return url.href;
}

// Routes are found by the decoded path.
function isPage(pathname: string): boolean {
  try {
    return !NO_PAGE.test(decodeURIComponent(pathname));
  } catch {
    return false;
  }
}
