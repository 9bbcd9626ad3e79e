// The return address: the page to which the browser goes after a sign-in, with a session, a PKCE code or an error. Only
// pages of the portal are allowed, which prevents open redirects.
import type { TokenResponse } from './tokens.ts';

const MAX_LENGTH = 2048;
// Characters that URL parsers remove or convert in different ways. With such a character, the browser could open
// another address than the one that was checked here.
const AMBIGUOUS = /[\s\\\p{Cc}\p{Cs}]/u;
// Paths that are not pages. Some of them redirect to another site, for example to Google. The fragment of the return
// address contains the session. A browser keeps the fragment on a redirect, so the other site would get the session.
const NO_PAGE = /^\/+(?:auth\/v1|api|dev|metrics|healthz|readyz)(?:\/|$)/;

/**
 * Returns `candidate` as a parsed and normalized address if it is a page of the portal, else the address of the home
 * page. The parser is that of browsers (WHATWG).
 */
export function resolveRedirect(candidate: unknown, publicUrl: string): string {
  const home = new URL('/', publicUrl);
  if (typeof candidate !== 'string' || candidate.length > MAX_LENGTH || AMBIGUOUS.test(candidate))
    return home.href;
  const url = URL.parse(candidate);
  // A blob: URL has the origin of the page that created it, so a comparison of the origins alone would accept it.
  if (url === null || url.origin !== home.origin || url.protocol !== home.protocol) return home.href;
  if (url.username !== '' || url.password !== '' || !isPage(url.pathname)) return home.href;
  url.hash = '';
  return url.href;
}

// The router decodes a path before it finds the route, so the decoded path is checked.
function isPage(pathname: string): boolean {
  try {
    return !NO_PAGE.test(decodeURIComponent(pathname));
  } catch {
    return false;
  }
}

/**
 * The parameters of an error in the return address. `error` is an error code of OAuth (RFC 6749, 4.1.2.1), `error_code`
 * one of Supabase Auth's protocol.
 */
type ReturnError = { error: string; error_code?: string; error_description: string };

const OAUTH_ERRORS: Record<number, string> = {
  400: 'invalid_request',
  403: 'access_denied',
  429: 'temporarily_unavailable',
  503: 'temporarily_unavailable',
};

/** Converts an error of Supabase Auth's protocol to an OAuth error. */
export function toReturnError(error: { authStatus: number; authCode: string; message: string }): ReturnError {
  return {
    error: OAUTH_ERRORS[error.authStatus] ?? 'server_error',
    error_code: error.authCode,
    error_description: error.message,
  };
}

/**
 * Returns `redirect_to` with the session in the fragment. `type` is the type of the mail.
 * Callers of this function and of the two functions below must have checked `redirect_to` with `resolveRedirect`.
 */
export function returnWithSession(redirect_to: string, session: TokenResponse, type?: string): string {
  const fragment = new URLSearchParams({
    access_token: session.access_token,
    expires_at: String(session.expires_at),
    expires_in: String(session.expires_in),
    refresh_token: session.refresh_token,
    sb: '',
    token_type: session.token_type,
    ...(type !== undefined && { type }),
  });
  return `${redirect_to}#${fragment}`;
}

/** Returns `redirect_to` with the PKCE code, which the client exchanges for a session. */
export function returnWithCode(redirect_to: string, auth_code: string): string {
  return addToQuery(redirect_to, { code: auth_code });
}

/**
 * Returns `redirect_to` with the error in the fragment. With `inQuery`, the error is also in the query, because some
 * clients read only the query.
 */
export function returnWithError(
  redirect_to: string,
  fault: ReturnError,
  { inQuery }: { inQuery: boolean },
): string {
  const target = inQuery ? addToQuery(redirect_to, fault) : redirect_to;
  return `${target}#${new URLSearchParams({ ...fault, sb: '' })}`;
}

function addToQuery(redirect_to: string, values: Record<string, string>): string {
  const target = new URL(redirect_to);
  for (const [name, value] of Object.entries(values)) target.searchParams.append(name, value);
  return target.href;
}
