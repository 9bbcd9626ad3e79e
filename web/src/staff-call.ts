// The type of a call of the admin pages, and its values that many calls share.
import type { Endpoint, TeamRole } from '@portal/contract';
import type { Call } from './calls.ts';

export const GET = 'GET';
export const POST = 'POST';
export const VIEWER = 'viewer';
export const SUPPORT = 'support';
export const MANAGER = 'manager';
export const OWNER = 'owner';

/** A call of the team, with the least role that may make the call (R-TEAM-01). */
export type StaffCall<Of extends Endpoint> = Call<Of> & { role: TeamRole };
