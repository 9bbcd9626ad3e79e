// Limits the address after a sign-in to pages of the portal, against open redirects.

const MAX_LENGTH = 2048;
// URL parsers remove or convert these characters, each in a different way.
const AMBIGUOUS = /[\s\\\p{Cc}\p{Cs}]/u;
// Addresses that are not pages. A redirect from one of them, for example to Google, would take the session in the
// fragment along.
const NO_PAGE = /^\/+(?:auth\/v1|api|dev|metrics|healthz|readyz)(?:\/|$)/;

/**
 * Returns the parsed address `candidate` if it is a page of the portal's origin, else the home page. Parses like
 * browsers (WHATWG URL), and never returns the original text.
 */
export function resolveRedirect(candidate: unknown, publicUrl: string): string {
  const home = new URL('/', publicUrl);
  if (typeof candidate !== 'string' || candidate.length > MAX_LENGTH || AMBIGUOUS.test(candidate))
    return home.href;
  const url = URL.parse(candidate);
  // A blob: address has the origin of the page that made it, so the scheme is compared too.
  if (url === null || url.origin !== home.origin || url.protocol !== home.protocol) return home.href;
  if (url.username !== '' || url.password !== '' || !isPage(url.pathname)) return home.href;
  url.hash = '';
  return url.href;
}

// Compares the decoded path, because the router does so too.
function isPage(pathname: string): boolean {
  try {
    return !NO_PAGE.test(decodeURIComponent(pathname));
  } catch {
    return false;
  }
}
