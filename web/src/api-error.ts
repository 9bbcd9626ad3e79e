// The error that an API call throws for a response outside of 2xx.

/**
 * Describes a response outside of 2xx. `message` is `{status}: {body}`, or `{status}: {status text}` if the body is
 * empty (R-HTTP-05, R-HTTP-06).
 */
export class ApiError extends Error {
  override name = 'ApiError';
  /** HTTP status. */
  readonly status: number;
  /** True if the body is a JSON object. All errors of the portal's server are JSON objects. */
  readonly isReadable: boolean;
  /** Error code of the contract; undefined if the body is not a JSON error of the portal. */
  readonly code: string | undefined;
  readonly title: string | undefined;
  /** Message for the user; undefined if the body is not a JSON error of the portal. */
  readonly serverMessage: string | undefined;
  /** The day in the message for the user, YYYY-MM-DD; undefined if the message contains no day. */
  readonly day: string | undefined;
  /** Number of coupons that the request would change now; undefined for all errors except `count_changed`. */
  readonly count: number | undefined;
  /** Seconds until the request may be repeated; undefined for all errors except `too_many_requests`. */
  readonly retryAfter: number | undefined;
  /** Id of the user who has the address already; undefined for all errors except `duplicate_email`. */
  readonly userId: string | undefined;
  /** Known addresses that resemble the unknown one; empty for all errors except `user_not_found`. */
  readonly similar: readonly string[];

  constructor(status: number, statusText: string, body: string) {
    super(`${status}: ${body || statusText}`);
    const parsed = parseObject(body);
    const { code, title, message, day, count, retry_after, user_id, similar } = parsed ?? {};
    this.isReadable = parsed !== null;
    this.status = status;
    this.code = textOrUndefined(code);
    this.title = textOrUndefined(title);
    this.serverMessage = textOrUndefined(message);
    this.day = textOrUndefined(day);
    this.count = numberOrUndefined(count);
    this.retryAfter = numberOrUndefined(retry_after);
    this.userId = textOrUndefined(user_id);
    this.similar = Array.isArray(similar) ? similar : [];
  }
}

/** Returns true if `error` is the ApiError of a response with status 404. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

function textOrUndefined(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function numberOrUndefined(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
