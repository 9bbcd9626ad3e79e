// The operator's commands for the roles of the team, and for sessions and signing keys.
import { teamRole } from '@portal/contract';
import * as z from 'zod/mini';
import { revokeSessions } from '../auth/auth-service.ts';
import type { Db } from '../db/database.ts';
import { listTeam } from '../features/team/team.sql.ts';
import { setRole } from '../features/team/team.ts';
import { EMAIL, flag, OperatorError, portalCommand, rethrowForOperator } from './command.ts';

export const teamCommands = [
  portalCommand({
    name: 'admin add',
    summary: 'give an address a role in the team',
    takes: {
      email: EMAIL,
      role: {
        form: '--role <role>',
        help: 'owner (the default), manager, support or viewer',
        schema: z._default(teamRole, 'owner'),
        wanted: 'The role is owner, manager, support or viewer',
      },
    },
    run: async ({ db, adminEmails, publicUrl }, { email, role }) => {
      const order = { actor: 'operator', email, team_role: role };
      const result = await setRole(db, order, { adminEmails }).catch(rethrowForOperator);
      if (result === 'last_owner') throw lastOwner(email);
      const is = result === 'same' ? 'is an administrator already' : 'is now an administrator';
      const withRole = role === 'owner' ? '' : `, with the role ${role}`;
      return `${email} ${is}${withRole}.\nStaff sign in at ${publicUrl}/admin-login`;
    },
  }),
  portalCommand({
    name: 'admin remove',
    summary: 'take the role in the team away from an address',
    takes: { email: EMAIL, force: flag('--force', 'also from the last owner') },
    run: async ({ db, adminEmails }, { email, force }) => {
      const order = { actor: 'operator', email, team_role: null, force };
      const result = await setRole(db, order, { adminEmails });
      if (result === 'unknown') throw new OperatorError(`Nobody is known by ${email}. Nothing was changed.`);
      if (result === 'last_owner') throw lastOwner(email);
      return result === 'changed'
        ? `${email} is no longer an administrator.`
        : `${email} was no administrator.`;
    },
  }),
  portalCommand({
    name: 'admin list',
    summary: 'show the team: address, role, last sign-in',
    takes: {},
    run: ({ db }) => describeTeam(db),
  }),
];

/** Returns one line for each member of the team: address, role, last sign-in. */
export async function describeTeam(db: Db): Promise<string> {
  const members = await listTeam(db);
  if (members.length === 0) return 'Nobody has a role yet.';
  const width = Math.max(...members.map(({ email }) => email.length));
  return members
    .map(
      ({ email, team_role, last_sign_in_at }) =>
        `${email.padEnd(width)}  ${team_role.padEnd(7)}  ${last_sign_in_at ?? 'no sign-in known'}`,
    )
    .join('\n');
}

function lastOwner(email: string): OperatorError {
  return new OperatorError(
    `${email} is the last owner who can sign in. Make somebody else owner first, or say admin remove --force.`,
  );
}

export const signInCommands = [
  portalCommand({
    name: 'sessions revoke',
    summary: 'sign an address out everywhere',
    takes: { email: EMAIL, unlink: flag('--unlink', 'also separate it from its Google account') },
    run: async ({ db, rotateKeys }, { email, unlink }) => {
      if (rotateKeys === null) throw hostedSignIn('Sessions');
      const { sessions, unlinked } = await revokeSessions({ db }, { email, unlink });
      const counted = sessions === 1 ? 'One session' : `${sessions} sessions`;
      const done = sessions === 0 ? `${email} was not signed in.` : `${counted} of ${email} ended.`;
      const parted = unlinked === 0 ? 'No Google account was linked.' : 'The Google account is unlinked.';
      return `${done} Links and codes mailed before are worthless.${unlink ? ` ${parted}` : ''}`;
    },
  }),
  portalCommand({
    name: 'keys rotate',
    summary: 'let a new key sign the access tokens',
    takes: { revoke: flag('--revoke', 'refuse the tokens of the old key') },
    run: async ({ rotateKeys }, { revoke }) => {
      if (rotateKeys === null) throw hostedSignIn('Signing keys');
      const kid = await rotateKeys({ revoke });
      const old = revoke
        ? 'Tokens of older keys are refused from then on; browsers renew theirs by themselves.'
        : 'Tokens of the old key live to their end.';
      return `The key ${kid} signs from now on, in every process within ten seconds. ${old}`;
    },
  }),
];

function hostedSignIn(what: string): OperatorError {
  return new OperatorError(
    `${what} are the business of the hosted sign-in service (AUTH_URL): use its own tools.`,
  );
}
