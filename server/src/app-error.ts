// What a caller is told when something is refused or fails.
import { type ErrorCode, errorStatus } from '@portal/contract';

type Options = {
  title?: string;
  /** Who was refused, where the answer says so (GET /api/admin/check). */
  user?: { email: string; user_role: string };
  cause?: unknown;
};

/** A refusal with words for the caller; `cause` stays in the log. `title` makes it a redemption's refusal. */
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

/** The refusal of whoever is not signed in, or no longer. */
export function authenticationRequired(): AppError {
  return new AppError('authentication_required', 'Authentication required');
}
