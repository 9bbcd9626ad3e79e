// A refusal in the words of the Supabase Auth protocol.

/** `status` and `code` are the protocol's; the message is shown to people and holds no internals. */
export type AuthError = Error & { authStatus: number; authCode: string };

/** Makes a refusal to throw; `code` is one of the protocol's error codes, such as otp_expired. */
export function authError(status: number, code: string, message: string): AuthError {
  return Object.assign(new Error(message), { authStatus: status, authCode: code });
}

/** True for what `authError` made. */
export function isAuthError(error: unknown): error is AuthError {
  return error instanceof Error && 'authStatus' in error && 'authCode' in error;
}
