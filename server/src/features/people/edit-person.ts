// Changes address, name and phone number of a person (R-TRAIL-35).
import {
  type AppUser,
  canonicalAddress,
  EDIT_MEMBER_ROLE,
  type EditedPerson,
  editPerson as editPersonCall,
  isMailAddress,
  NO_ADDRESS,
  type VersionedUser,
} from '@portal/contract';
import { AppError } from '../../app-error.ts';
import { type Database, type Db, isUniqueViolation } from '../../db/database.ts';
import { mailKindOf } from '../../mail/mail-log.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { listChanges } from '../log/list-changes.ts';
import type { Member } from '../team/callers.sql.ts';
import { isLastOwner, requireActor } from '../team/change-team.ts';
import * as team from '../team/team.sql.ts';
import { ADDRESS_CHANGED } from './code-mail.ts';
import { findUserId, requireLockedPerson } from './find-person.ts';
import * as people from './people.sql.ts';
import { deleteMailsTo } from './person-mails.sql.ts';
import { cancelNotices } from './ready-notices.sql.ts';

export type EditTools = {
  adminEmails: readonly string[];
  /** Ends the account of an address that its person leaves. Null with a hosted sign-in service. */
  closeAccount: ((tx: Db, email: string) => Promise<void>) | null;
};

type Edit = EditedPerson & { user_id: string; actor: Member };

/**
 * Changes the person. Grants, cohorts and codes belong to the person, not to the address, so they stay. With a new
 * address, sessions and unsent mails of the old address end.
 * An edit that changes nothing succeeds with any version, so a repeated call does.
 * @throws AppError user_not_found; role_too_low for a member of the team, unless the actor is an owner (R-TEAM-43);
 * edit_conflict if somebody changed the person after `version` (N-317); duplicate_email with `user_id`; last_owner (N-02).
 */
export async function editPerson(db: Database, edit: Edit, tools: EditTools): Promise<VersionedUser> {
  const result = await db
    .transaction((tx) => changePerson(tx, edit, tools))
    .catch(async (error: unknown) => {
      if (!isUniqueViolation(error, 'app_user_email_key')) throw error;
      // Another transaction has just given the address to somebody else.
      throw duplicateEmail(await people.findIdOfEmail(db, edit.email));
    });
  if (result === 'last_owner')
    throw new AppError('last_owner', 'The portal needs an owner. Make somebody else owner first.');
  return result;
}

// Returns 'last_owner' instead of an error, so that the audit line of this refusal is committed (R-TRAIL-60).
async function changePerson(
  tx: Db,
  { user_id, actor, name, phone_number, version, ...edit }: Edit,
  tools: EditTools,
): Promise<VersionedUser | 'last_owner'> {
  const owners = await team.lockOwners(tx, await findUserId(tx, user_id));
  const { mail_refused_at, mail_refused_reason, ...before } = await requireLockedPerson(tx, user_id);
  const { id, team_role } = before;
  await requireActor(tx, actor, team_role === null ? editPersonCall.role : EDIT_MEMBER_ROLE);
  if (name === null && before.name !== null) throw new AppError('invalid_request', 'name is required');
  // An address that is only written in another form stays as it is stored (N-303).
  const isSame = canonicalAddress(before.email) === edit.email;
  const email = isSame ? before.email : edit.email;
  if (!isSame && !isMailAddress(email)) throw new AppError('invalid_request', NO_ADDRESS);
  const fields = { email, name, phone_number };
  const detail = listChanges(fields, { from: before, to: fields });
  if (Object.keys(detail).length === 0) return before;
  if (version !== undefined && version !== before.version)
    throw new AppError(
      'edit_conflict',
      'Somebody else changed this person meanwhile. Reload to see their version.',
    );
  const isMoved = email !== before.email;
  if (isMoved) {
    const other = await people.findIdOfEmail(tx, email);
    if (other !== null && other !== before.user_id) throw duplicateEmail(other);
    // The actor is signed in, also if the portal has not stored that yet.
    const counted = owners.map((owner) =>
      owner.id === actor.user_id ? { ...owner, signed_in: true } : owner,
    );
    if (team_role === 'owner' && isLastOwner(counted, before, tools.adminEmails)) {
      const refused = { email: [before.email, email] };
      const line = { actor: actor.email, action: 'team.refused_last_owner', user_id: id, detail: refused };
      await createAuditLine(tx, line);
      return 'last_owner';
    }
  }
  if (isMoved) {
    await team.moveInTeam(tx, { id, to: email });
    await people.leaveIdentities(tx, id);
  }
  const saved = await people.updatePerson(tx, { id, ...fields });
  if (isMoved) await leaveAddress(tx, before, tools);
  await createAuditLine(tx, { actor: actor.email, action: 'user.edit', user_id: id, detail });
  return { ...before, ...fields, version: saved };
}

// Ends the unsent mails and the account of the old address.
async function leaveAddress(tx: Db, { id, email }: AppUser, { closeAccount }: EditTools): Promise<void> {
  for (const mail of await deleteMailsTo(tx, email))
    await createAuditLine(tx, {
      actor: 'portal',
      action: 'mail.fail',
      user_id: id,
      ...(mail.product_id !== null && { product_id: mail.product_id }),
      detail: { kind: mailKindOf(mail.kind), id: mail.id, words: ADDRESS_CHANGED },
    });
  await cancelNotices(tx, { user: id }, ADDRESS_CHANGED);
  await closeAccount?.(tx, email);
}

function duplicateEmail(user_id: string | null): AppError {
  return new AppError('duplicate_email', 'Somebody else has this address', {
    ...(user_id !== null && { user_id }),
  });
}
