// Allows only pages of the portal as the address after a sign-in. This prevents open redirects.

const MAX_LENGTH = 2048;
// URL parsers remove or convert these characters, but different parsers do so differently. So a browser could open
// another address than the one checked here. An address with one of these characters is not accepted.
const AMBIGUOUS = /[\s\\\p{Cc}\p{Cs}]/u;
// Paths that are not pages. Some of these paths redirect, for example to Google. After a sign-in, the session is in the
// fragment of the address. A browser keeps the fragment on a redirect, so the other site would get the session.
const NO_PAGE = /^\/+(?:auth\/v1|api|dev|metrics|healthz|readyz)(?:\/|$)/;

/**
 * Returns `candidate` as a parsed and normalized address if it is a page of the portal. Otherwise returns the home
 * page. Parsing follows the WHATWG standard, as browsers do.
 */
export function resolveRedirect(candidate: unknown, publicUrl: string): string {
  const home = new URL('/', publicUrl);
  if (typeof candidate !== 'string' || candidate.length > MAX_LENGTH || AMBIGUOUS.test(candidate))
    return home.href;
  const url = URL.parse(candidate);
  // The origin of a blob: URL is the origin of the page that created it. So the scheme must be compared too.
  if (url === null || url.origin !== home.origin || url.protocol !== home.protocol) return home.href;
  if (url.username !== '' || url.password !== '' || !isPage(url.pathname)) return home.href;
  url.hash = '';
  return url.href;
}

// Returns whether a path belongs to a page of the portal. The router decodes a path before it finds the route, so this
// function decodes the path too.
function isPage(pathname: string): boolean {
  try {
    return !NO_PAGE.test(decodeURIComponent(pathname));
  } catch {
    return false;
  }
}
