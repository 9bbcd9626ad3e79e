// Handles responses that refuse a call because of the caller's role: somebody has lowered the role of the current user,
// or taken it away, while a page is open (R-TEAM-21).
import { ApiError } from '../../api-error.ts';
import { checkAdmin } from '../../calls.ts';
import { queryClient } from '../../queries.ts';

/** True if the current user is still in the team, but the role is too low for the call. */
export function isRoleTooLow(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'role_too_low';
}

/**
 * Repeats the check of the current user. All admin pages follow its result: they show the parts that the new role
 * allows, or lead a user without a role to the page 'access restricted'.
 */
export function repeatCheck(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: [checkAdmin.path] });
}

/** Repeats the check if `error` is a refusal because of the role. */
export function followRole(error: unknown): void {
  const isOut = error instanceof ApiError && error.code === 'access_restricted';
  if (isOut || isRoleTooLow(error)) void repeatCheck();
}
