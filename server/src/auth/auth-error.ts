// Errors of the Supabase Auth protocol.

/**
 * `authStatus` is the HTTP status, `authCode` the error code of the protocol. The message is shown to people and
 * contains no internals.
 */
export type AuthError = Error & { authStatus: number; authCode: string };

/** Returns an error to throw. `code` is an error code of the protocol, for example otp_expired. */
export function authError(status: number, code: string, message: string): AuthError {
  return Object.assign(new Error(message), { authStatus: status, authCode: code });
}

/** True for an error of `authError`. */
export function isAuthError(error: unknown): error is AuthError {
  return error instanceof Error && 'authStatus' in error && 'authCode' in error;
}
