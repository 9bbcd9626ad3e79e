// The operator's commands for the team: give, take away and list the roles.
import { teamRole } from '@portal/contract';
import type { Db } from '../db/database.ts';
import { listTeam } from '../stores/team.ts';
import { setRole } from '../usecases/change-team.ts';
import { OperatorError, readEmail, rethrowForOperator, takeFlag, takeOption } from './arguments.ts';
import type { Command } from './commands.ts';

export const teamCommands: Record<string, Command> = {
  'admin add': {
    usage: 'admin add <e-mail> [--role <role>]',
    summary: 'give an address a role in the team: owner (the default), manager, support or viewer',
    run: async ({ db, adminEmails }, { args }) => {
      const { value, rest } = takeOption(args, '--role');
      const role = teamRole.safeParse(value ?? 'owner');
      if (!role.success)
        throw new OperatorError(`The role is owner, manager, support or viewer (got: ${value}).`);
      const email = readEmail(rest);
      const order = { actor: 'operator', email, team_role: role.data };
      const result = await setRole(db, order, { adminEmails }).catch(rethrowForOperator);
      if (result === 'last_owner') throw lastOwner(email);
      const is = result === 'same' ? 'is an administrator already' : 'is now an administrator';
      return `${email} ${is}${role.data === 'owner' ? '' : `, with the role ${role.data}`}.`;
    },
  },
  'admin remove': {
    usage: 'admin remove <e-mail> [--force]',
    summary: 'take the role in the team away from an address; with --force also from the last owner',
    run: async ({ db, adminEmails }, { args }) => {
      const { flag: force, rest } = takeFlag(args, '--force');
      const email = readEmail(rest);
      const order = { actor: 'operator', email, team_role: null, force };
      const result = await setRole(db, order, { adminEmails });
      if (result === 'unknown') throw new OperatorError(`Nobody is known by ${email}. Nothing was changed.`);
      if (result === 'last_owner') throw lastOwner(email);
      return result === 'changed'
        ? `${email} is no longer an administrator.`
        : `${email} was no administrator.`;
    },
  },
  'admin list': {
    usage: 'admin list',
    summary: 'show the team: address, role, last sign-in',
    run: async ({ db }, { args }) => {
      if (args.length > 0) throw new OperatorError(`admin list takes nothing (got: ${args.join(' ')}).`);
      return describeTeam(db);
    },
  },
};

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
