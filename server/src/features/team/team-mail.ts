// The mail that invites a person to the team (R-TEAM-11).
import type { TeamRole } from '@portal/contract';
import type { Db } from '../../db/database.ts';
import type { Job } from '../../jobs/jobs.sql.ts';
import { enqueueMailJob } from '../../mail/mail-log.ts';

/** `about` is the address of the invited person, and `invited_by` the address of the owner. */
type Invitation = { about: string; invited_by: string; team_role: TeamRole };

/** Enqueues the mail. Call this function in the transaction of the invitation. */
export async function enqueueTeamMail(tx: Db, invitation: Invitation, now: Date): Promise<void> {
  const key = `${invitation.about} ${invitation.team_role}`;
  const job = { kind: 'team-mail' as const, key, data: invitation };
  await enqueueMailJob(tx, job, { actor: invitation.invited_by, now });
}

const ROLES: Record<TeamRole, string> = {
  viewer: 'Viewer: you see figures, no codes and no people.',
  support: 'Support: you look people up, and give and replace codes.',
  manager: 'Manager: you do everything but team and integrations.',
  owner: 'Owner: you do everything.',
};

/**
 * Returns the mail of a job that `enqueueTeamMail` enqueued. The mail contains no token, so nobody else can use it: the
 * invited person signs in with this address as usual.
 */
export function writeTeamMail(
  { data }: Job,
  { publicUrl, brandName }: { publicUrl: string; brandName: string },
): { to: string; subject: string; text: string } {
  const { about: to, invited_by, team_role } = data as Invitation;
  return {
    to,
    subject: `You were invited to ${brandName}`,
    text: `${invited_by} invited you to the team of ${brandName}. Your role is:\n${ROLES[team_role]}\n\nSign in with this e-mail address:\n${publicUrl}/admin-login\n`,
  };
}
