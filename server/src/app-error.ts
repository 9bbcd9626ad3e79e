// The error class for every response that refuses a call: error code, message and HTTP status.
import { type ErrorCode, errorStatus } from '@portal/contract';

type Options = {
  title?: string;
  /** The refused caller, only in responses of GET /api/admin/check. */
  user?: { email: string; user_role: string };
  cause?: unknown;
};

/**
 * A refused call. The message is shown to the caller; `cause` is only logged. `title` is set for refused redemptions.
 */
export class AppError extends Error {
  override name = 'AppError';
  readonly code: ErrorCode;
  readonly title: Options['title'];
  readonly user: Options['user'];

  constructor(code: ErrorCode, message: string, { title, user, cause }: Options = {}) {
    super(message, { cause });
    this.code = code;
    this.title = title;
    this.user = user;
  }

  get status(): number {
    return errorStatus[this.code];
  }
}

/** Returns the error for a caller without a valid session. */
export function authenticationRequired(): AppError {
  return new AppError('authentication_required', 'Authentication required');
}
