// The members of the team, with their roles and the acts on each member (R-TEAM-30).
import type { TeamMember, TeamRole } from '@portal/contract';
import { ChevronsUpDown } from 'lucide-react';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { type Column, cutWords } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { Icon } from '../../../ui/icon.tsx';
import input from '../../../ui/input.module.css';
import select from '../../../ui/select.module.css';
import { sayDate } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import { PersonLink } from '../people/person-link.tsx';
import { nameOf, ROLES, sayRole } from './role-words.ts';
import styles from './team.module.css';

/** A member of the list. Each member of the list has a role. */
export type Listed = TeamMember & { team_role: TeamRole };

/** An act on a member that the user must confirm. */
export type Asked =
  | { act: 'role'; member: Listed; to: TeamRole }
  | { act: 'remove'; member: Listed }
  | { act: 'sign-out'; member: Listed };

type TeamTableProps = {
  team: readonly Listed[];
  /** Address of the signed-in user. */
  own: string;
  busy: boolean;
  onAsk: (asked: Asked) => void;
};

export function TeamTable({ team, own, busy, onAsk }: TeamTableProps) {
  return (
    <DataTable
      className={styles.team}
      caption={say('Team')}
      columns={columnsFor(own, onAsk)}
      rows={team}
      keyOf={({ user_id }) => user_id}
      busy={busy}
    />
  );
}

function columnsFor(own: string, onAsk: TeamTableProps['onAsk']): Column<Listed>[] {
  return [
    // Tablets cut long addresses, so the tooltip always contains the address.
    {
      label: say('Email'),
      as: 'strong',
      words: ({ email }) => ({ ...cutWords(email, 40), full: email }),
      draw: ({ user_id }, { text }) => <PersonLink to={user_id}>{text}</PersonLink>,
    },
    {
      label: say('Name'),
      as: 'line',
      words: ({ name }) => cutWords(name?.trim() || '-', 25),
      draw: ({ email }, { text }) => (
        <>
          <bdi>{text}</bdi>
          {email === own && <span className={styles.own}>{say('you')}</span>}
        </>
      ),
    },
    {
      label: say('Role'),
      as: 'end',
      words: ({ team_role }) => ({ text: sayRole(team_role) }),
      draw: (member) => <RoleSelect member={member} onAsk={onAsk} />,
    },
    { label: say('Last sign-in'), as: 'line', wraps: true, words: (member) => ({ text: sayLast(member) }) },
    {
      label: say('Actions'),
      labelHidden: true,
      as: 'line',
      right: true,
      words: () => ({ text: '' }),
      draw: (member) => <Acts member={member} onAsk={onAsk} />,
    },
  ];
}

function RoleSelect({ member, onAsk }: { member: Listed; onAsk: TeamTableProps['onAsk'] }) {
  return (
    <span className={classes(select.choice, styles.role)}>
      <select
        className={classes(input.input, input.small)}
        aria-label={say('Role of {name}', { name: nameOf(member) })}
        // The select keeps the role that holds: a choice only asks, and the list is loaded again after the change.
        value={member.team_role}
        onChange={({ target }) => onAsk({ act: 'role', member, to: target.value as TeamRole })}
      >
        {ROLES.map((role) => (
          <option key={role} value={role}>
            {sayRole(role)}
          </option>
        ))}
      </select>
      <Icon of={ChevronsUpDown} size={16} />
    </span>
  );
}

function Acts({ member, onAsk }: { member: Listed; onAsk: TeamTableProps['onAsk'] }) {
  const name = nameOf(member);
  return (
    <span className={styles.acts}>
      {/* Null means that a hosted service keeps the sessions, so the portal cannot end them (R-TEAM-45). */}
      {member.sessions !== null && member.sessions > 0 && (
        <Button
          size="sm"
          look="ghost"
          aria-label={say('Sign out {name}', { name })}
          onClick={() => onAsk({ act: 'sign-out', member })}
        >
          {say('Sign out')}
        </Button>
      )}
      <Button
        size="sm"
        look="ghost"
        aria-label={say('Remove {name}', { name })}
        onClick={() => onAsk({ act: 'remove', member })}
      >
        {say('Remove')}
      </Button>
    </span>
  );
}

function sayLast({ last_sign_in_at, invited_at, sessions }: Listed): string {
  if (last_sign_in_at !== null) return sayMoment(new Date(last_sign_in_at));
  // Only a hosted service knows who has signed in.
  if (sessions === null) return '-';
  if (invited_at === null) return say('Not yet here');
  return say('Invited {day}, not yet here', { day: sayDate(new Date(invited_at), { dateStyle: 'medium' }) });
}

function sayMoment(at: Date): string {
  if (at.toDateString() !== new Date().toDateString()) return sayDate(at, { dateStyle: 'medium' });
  return say('Today, {time}', { time: sayDate(at, { timeStyle: 'short' }) });
}
