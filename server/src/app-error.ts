// Defines AppError, the error with which the server refuses a call. The response contains its error code and message.
import { type ErrorCode, errorStatus } from '@portal/contract';

type Options = {
  title?: string;
  /** The signed-in caller, who has no administrator role. Set only for GET /api/admin/check. */
  user?: { email: string; user_role: string };
  /** The day that the message names, as YYYY-MM-DD. */
  day?: string;
  /** With `count_changed`: how many are affected now. */
  count?: number;
  cause?: unknown;
};

/**
 * Thrown if the server refuses a call. The response contains `message`, and `title` if it is set (only for
 * redemptions). `cause` is written to the log but not sent.
 */
export class AppError extends Error {
  override name = 'AppError';
  readonly code: ErrorCode;
  readonly title: Options['title'];
  readonly user: Options['user'];
  readonly day: Options['day'];
  readonly count: Options['count'];

  constructor(code: ErrorCode, message: string, { title, user, day, count, cause }: Options = {}) {
    super(message, { cause });
    this.code = code;
    this.title = title;
    this.user = user;
    this.day = day;
    this.count = count;
  }

  get status(): number {
    return errorStatus[this.code];
  }
}

/** Returns the error for a call without a valid session. */
export function authenticationRequired(): AppError {
  return new AppError('authentication_required', 'Authentication required');
}
