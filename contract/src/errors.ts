// Defines every error code of the API, the HTTP status of each, and the body of an error response.
import * as z from 'zod/mini';
import { teamRole } from './team-role.ts';

/** HTTP status of each error code. The browser decides by the error code, never by the message. */
export const errorStatus = {
  invalid_request: 400,
  product_not_granted: 400,
  authentication_required: 401,
  access_restricted: 403,
  role_too_low: 403,
  email_not_registered: 403,
  product_not_assigned: 403,
  access_not_started: 403,
  access_ended: 403,
  not_found: 404,
  product_not_found: 404,
  user_not_found: 404,
  cohort_not_found: 404,
  duplicate_code: 409,
  duplicate_name: 409,
  duplicate_email: 409,
  no_coupon_left: 409,
  product_not_open: 409,
  product_paused: 409,
  product_ended: 409,
  code_revoked: 409,
  edit_conflict: 409,
  count_changed: 409,
  grant_withdrawn: 409,
  cancelled: 409,
  held: 409,
  id_in_use: 409,
  import_running: 409,
  last_owner: 409,
  log_pruned: 409,
  not_held: 409,
  too_many: 409,
  void: 409,
  request_too_large: 413,
  unsupported_media_type: 415,
  too_many_requests: 429,
  internal_error: 500,
  unavailable: 503,
  concurrent_change: 503,
  timed_out: 503,
  connection_lost: 503,
  outcome_unknown: 503,
} as const;

export type ErrorCode = keyof typeof errorStatus;

/** Value of the `Retry-After` header, which every response with status 503 contains (RFC 9110, 10.2.3). */
export const RETRY_AFTER_SECONDS = 2;

/** Body of an error response. Only error responses of redemptions contain `success: false` and `title` (R-API-01). */
export const errorBody = z.object({
  success: z.optional(z.literal(false)),
  code: z.string(),
  title: z.optional(z.string()),
  message: z.string(),
  /** The id in all log lines of the request. Only for server errors (5xx). */
  request_id: z.optional(z.string()),
  /** The day in `message`, as YYYY-MM-DD. The page writes this day in the visitor's language. */
  day: z.optional(z.string()),
  /** Number of codes or people that the call would change now. Only with `count_changed`. */
  count: z.optional(z.int()),
  /** Seconds until the call may be repeated. Only with `too_many_requests`. */
  retry_after: z.optional(z.int()),
  /** The person who has the address already. Only with `duplicate_email`. */
  user_id: z.optional(z.string()),
  /** Known addresses that resemble the unknown one (R-COHORT-18). Only with `user_not_found`, in some calls. */
  similar: z.optional(z.array(z.string())),
  /** Counts of an import until it was cancelled (N-316). Only with `cancelled`. */
  results: z.optional(z.record(z.string(), z.int())),
  /** The signed-in user. Only with `access_restricted` and `role_too_low`. */
  user: z.optional(z.object({ email: z.string(), user_role: z.string(), team_role: z.optional(teamRole) })),
});
export type ErrorBody = z.output<typeof errorBody>;
