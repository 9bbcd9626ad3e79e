// Shows parts of the admin pages only to members of the team whose role allows them (R-TEAM-31). A call of the contract
// names the least role, so the pages have no list of rights of their own.
import { hasRole, TEAM_ROLES, type TeamMember, type TeamRole } from '@portal/contract';
import { createContext, type ReactNode, useContext, useState } from 'react';
import { ApiError, checkAdmin } from '../api.ts';
import { queryClient } from '../queries.ts';
import { useTeamRole } from '../sign-in/admin-check.ts';
import { isolate } from '../ui/text.tsx';
import { t } from '../words/translate.ts';

/** A call of the API, or another action, with the least role that may do it. */
type Action = { role: TeamRole };

export function useMay(): (action: Action) => boolean {
  const role = useTeamRole();
  return ({ role: least }) => hasRole(role, least);
}

const Keep = createContext<() => void>(() => undefined);

type RoleGateProps = {
  /** The action that the children do. */
  to: Action;
  /** Shown in place of the children if the role is too low. */
  otherwise?: ReactNode;
  children: ReactNode;
};

/**
 * Renders its children while the role of the current user allows the action. A form whose request was refused for the
 * role stays with its input, until the user leaves the page (N-72); see `useRoleRefusal`.
 */
export function RoleGate({ to, otherwise = null, children }: RoleGateProps) {
  const may = useMay();
  const keepAround = useContext(Keep);
  const [isKept, setKept] = useState(false);
  const keep = () => {
    setKept(true);
    keepAround();
  };
  return may(to) || isKept ? <Keep value={keep}>{children}</Keep> : otherwise;
}

/**
 * For a form, which calls `noteRefusal` with each error of its request. After a refusal for the role, `isDisabled` is
 * true: the form stays, but its button does nothing.
 */
export function useRoleRefusal() {
  const keep = useContext(Keep);
  const [isDisabled, setDisabled] = useState(false);
  const noteRefusal = (error: unknown) => {
    if (!isRoleTooLow(error)) return;
    keep();
    setDisabled(true);
  };
  return { isDisabled, noteRefusal };
}

/** True if somebody has lowered the role of the current user while a page is open (R-TEAM-21). */
export function isRoleTooLow(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'role_too_low';
}

/** Repeats the check of the current user. The admin pages then show what the new role allows. */
export function repeatCheck(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: [checkAdmin.path] });
}

/** Repeats the check if `error` is a refusal because of the role. */
export function followRole(error: unknown): void {
  const isOut = error instanceof ApiError && error.code === 'access_restricted';
  if (isOut || isRoleTooLow(error)) void repeatCheck();
}

export function formatRole(role: TeamRole): string {
  return { owner: t('Owner'), manager: t('Manager'), support: t('Support'), viewer: t('Viewer') }[role];
}

/** Returns the name of a member, or the address of a member without a name. */
export function nameOf({ name, email }: Pick<TeamMember, 'name' | 'email'>): string {
  return isolate(name?.trim() || email);
}

/** Returns what a role has beyond a lower role, or beyond no role (null). */
function formatBetween(lower: TeamRole | null, higher: TeamRole): string {
  // What each role has beyond the next lower one.
  const steps: Record<TeamRole, string> = {
    viewer: t('figures'),
    support: t('people, access, codes'),
    manager: t('uploads, products, exports'),
    owner: t('team, integrations'),
  };
  const first = lower === null ? 0 : TEAM_ROLES.indexOf(lower) + 1;
  const between = TEAM_ROLES.slice(first, TEAM_ROLES.indexOf(higher) + 1);
  return between
    .toReversed()
    .map((role) => steps[role])
    .join(', ');
}

export function isStepDown(from: TeamRole, to: TeamRole): boolean {
  return TEAM_ROLES.indexOf(to) < TEAM_ROLES.indexOf(from);
}

/** Returns what a change of role takes away or gives (N-80). `isOwn` is true for the user's own role. */
export function formatChange(from: TeamRole, to: TeamRole, isOwn: boolean): string {
  if (!isStepDown(from, to)) return t('They gain: {things}.', { things: formatBetween(from, to) });
  return formatLoss(formatBetween(to, from), isOwn);
}

/** Returns what a removal from the team takes away, and what stays. */
export function formatRemoval(from: TeamRole, isOwn: boolean): string {
  // Everybody in the team sees the figures, so they are named only if nothing else is lost.
  const things = formatBetween(from === 'viewer' ? null : 'viewer', from);
  const rest = isOwn ? t('Your own products and codes stay.') : t('Their own products and codes stay.');
  return `${formatLoss(things, isOwn)} ${rest}`;
}

function formatLoss(things: string, isOwn: boolean): string {
  if (!isOwn) return t('They lose: {things}.', { things });
  return `${t('You lose: {things}.', { things })} ${t('You cannot undo this yourself.')}`;
}
