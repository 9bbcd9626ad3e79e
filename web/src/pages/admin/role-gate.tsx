// Shows parts of the admin pages only to members of the team whose role allows them (R-TEAM-31). A call of the contract
// names the least role, so the pages have no list of rights of their own.
import { hasRole, type TeamRole } from '@portal/contract';
import { createContext, type ReactNode, useContext, useState } from 'react';
import { isRoleTooLow } from './role-refusal.ts';
import { useTeamRole } from './use-admin-check.ts';

/** A call of the API, or another act, with the least role that may do it. */
type Act = { role: TeamRole };

/** Returns a function that returns true if the role of the current user allows the act. */
export function useMay(): (act: Act) => boolean {
  const role = useTeamRole();
  return ({ role: least }) => hasRole(role, least);
}

const Keep = createContext<() => void>(() => undefined);

type RoleGateProps = {
  /** The act that the children do. */
  to: Act;
  /** Shown in place of the children if the role is too low. */
  otherwise?: ReactNode;
  children: ReactNode;
};

/**
 * Renders its children if the role of the current user allows the act. If the role changes, so does the page. Only a
 * form whose request was refused for the role stays with its input, until the user leaves the page (N-72); see
 * `useRoleRefusal`.
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
 * For a form. Returns `noteRefusal`, which must be called with each error of the form's request. After a refusal for
 * the role, `isOff` is true: the form stays, but its button does nothing.
 */
export function useRoleRefusal() {
  const keep = useContext(Keep);
  const [isOff, setOff] = useState(false);
  const noteRefusal = (error: unknown) => {
    if (!isRoleTooLow(error)) return;
    keep();
    setOff(true);
  };
  return { isOff, noteRefusal };
}
