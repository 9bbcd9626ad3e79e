// The error type of the sign-in service. Its fields are those of Supabase Auth's HTTP protocol.

/**
 * An error that the service sends to the client. `authStatus` is the HTTP status, `authCode` the error code of Supabase
 * Auth's protocol. The message is shown to people and contains no internals.
 */
export type AuthError = Error & { authStatus: number; authCode: string };

/**
 * Creates an error for the caller to throw. `code` is an error code of Supabase Auth's protocol, for example
 * otp_expired.
 */
export function authError(status: number, code: string, message: string): AuthError {
  return Object.assign(new Error(message), { authStatus: status, authCode: code });
}

/** True if `error` was created by `authError`. */
export function isAuthError(error: unknown): error is AuthError {
  return error instanceof Error && 'authStatus' in error && 'authCode' in error;
}
