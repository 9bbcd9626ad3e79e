// Where a sign-in may lead: to the portal itself and nowhere else.

const MAX_LENGTH = 2048;
// Parsers drop or bend these, each in its own way.
const BENT = /[\s\\\p{Cc}\p{Cs}]/u;

/**
 * The address to go on to: `candidate` when it is of the portal's own origin, else the portal's home. Judged as
 * browsers do (WHATWG URL); what is answered is the parsed address, never the text that came in.
 */
export function resolveRedirect(candidate: unknown, publicUrl: string): string {
  const home = new URL('/', publicUrl);
  if (typeof candidate !== 'string' || candidate.length > MAX_LENGTH || BENT.test(candidate))
    return home.href;
  const url = URL.parse(candidate);
  // A blob: address has the origin of the page that made it, so the scheme is compared as well.
  if (url === null || url.origin !== home.origin || url.protocol !== home.protocol) return home.href;
  if (url.username !== '' || url.password !== '') return home.href;
  url.hash = '';
  return url.href;
}
