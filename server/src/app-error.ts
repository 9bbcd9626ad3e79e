// The error that a handler throws to refuse a call.
import { type ErrorCode, errorStatus, type TeamRole } from '@portal/contract';

type Options = {
  title?: string;
  /** The signed-in user, who has no role in the team or a role that is too low for the call. */
  user?: { email: string; user_role: string; team_role?: TeamRole };
  /** The day that the message contains, as YYYY-MM-DD. */
  day?: string;
  /** Number of codes or people that the call would change. Set only with the error code `count_changed`. */
  count?: number;
  /** Seconds until the call may be repeated. Set only with the error code `too_many_requests`. */
  retry_after?: number;
  /** The id of the person who has the address already. Set only with the error code `duplicate_email`. */
  user_id?: string;
  /** Known addresses that resemble the unknown one. Set only with the error code `user_not_found`. */
  similar?: string[];
  /** Counts of what an import changed before it was cancelled. Set only with the error code `cancelled`. */
  results?: Record<string, number>;
  cause?: unknown;
};

/**
 * Thrown if the server refuses a call. The response contains `code`, `message` and the options. `cause` is only logged.
 * Only redemptions have a `title`.
 */
export class AppError extends Error {
  override name = 'AppError';
  readonly code: ErrorCode;
  readonly title: Options['title'];
  readonly user: Options['user'];
  readonly day: Options['day'];
  readonly count: Options['count'];
  readonly retry_after: Options['retry_after'];
  readonly user_id: Options['user_id'];
  readonly similar: Options['similar'];
  readonly results: Options['results'];

  constructor(code: ErrorCode, message: string, { cause, ...details }: Options = {}) {
    super(message, { cause });
    this.code = code;
    Object.assign(this, details);
  }

  get status(): number {
    return errorStatus[this.code];
  }
}

/** Returns the error for a call without a valid session. */
export function authenticationRequired(): AppError {
  return new AppError('authentication_required', 'Authentication required');
}

type Refused = { email: string; user_role: string; team_role: TeamRole | null };

/** Returns the error for a signed-in user who has no role in the team (R-TEAM-02). */
export function accessRestricted({ email, user_role }: Omit<Refused, 'team_role'>): AppError {
  return new AppError('access_restricted', 'Access restricted', { user: { email, user_role } });
}

/** Returns the error for a member of the team whose role does not allow the call (R-TEAM-02). */
export function roleTooLow({ email, user_role, team_role }: Refused): AppError {
  const user = { email, user_role, ...(team_role && { team_role }) };
  return new AppError('role_too_low', `Your role (${team_role}) may not do this. Ask an owner.`, { user });
}
