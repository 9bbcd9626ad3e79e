// The address at which a browser comes back to a page after a sign-in: with a session, a code, or a fault.
import type { TokenResponse } from '../usecases/issue-tokens.ts';

/** `error` is OAuth's (RFC 6749, 4.1.2.1), `error_code` the protocol's. */
export type ReturnFault = { error: string; error_code?: string; error_description: string };

const OAUTH_ERRORS: Record<number, string> = {
  400: 'invalid_request',
  403: 'access_denied',
  429: 'temporarily_unavailable',
  503: 'temporarily_unavailable',
};

/** The fault that an error of the protocol is told as. */
export function describeFault(error: { authStatus: number; authCode: string; message: string }): ReturnFault {
  return {
    error: OAUTH_ERRORS[error.authStatus] ?? 'server_error',
    error_code: error.authCode,
    error_description: error.message,
  };
}

/** With the session in the fragment; `type` says by which mail. `redirect_to` is already checked, here and below. */
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

/** With the code that the client exchanges for a session (PKCE). */
export function returnWithCode(redirect_to: string, auth_code: string): string {
  return addToQuery(redirect_to, { code: auth_code });
}

/** With a fault in the fragment, and in the query too for clients that look there only. */
export function returnWithFault(
  redirect_to: string,
  fault: ReturnFault,
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
