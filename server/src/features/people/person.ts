// Reads the record of one person for staff (R-TRAIL-06), saves and edits a person (R-TRAIL-35), and adds notes
// (R-TRAIL-07). Also reads the record of a code.
import {
  type AppUser,
  type CouponRecord,
  canonicalAddress,
  EDIT_MEMBER_ROLE,
  type EditedPerson,
  editPerson as editPersonCall,
  findSuffix,
  isMailAddress,
  type NewNote,
  NO_ADDRESS,
  type OwnName,
  type PersonMail,
  type PersonRecord,
  type SavedUser,
  setOwnName,
  type VersionedUser,
} from '@portal/contract';
import { AppError } from '../../app-error.ts';
import { type Database, type Db, isUniqueViolation } from '../../db/database.ts';
import { mailKindOf } from '../../mail/mail-log.ts';
import { grantAccess } from '../access/access.sql.ts';
import { listGrants } from '../access/grants.sql.ts';
import { requireProduct, requireProducts, resolveDays, unknownProduct } from '../access/grants.ts';
import { refuseCodes, requireCoupon } from '../codes/codes.ts';
import { joinCohort } from '../cohorts/cohorts.sql.ts';
import { refuseFull, requireCohort } from '../cohorts/members.ts';
import { createAuditLine, listChanges } from '../log/audit.sql.ts';
import { isFirstSent } from '../send-once.ts';
import type { Member } from '../team/callers.sql.ts';
import * as team from '../team/team.sql.ts';
import { isLastOwner, lastOwner, requireActor } from '../team/team.ts';
import {
  cancelNotices,
  deleteMailsTo,
  listMailEvents,
  listWaitingMails,
  type MailEvent,
  type WaitingMail,
} from './mails.sql.ts';
import { ADDRESS_CHANGED, type Notice, notifyPeople } from './mails.ts';
import * as people from './people.sql.ts';
import { findUserId, judgeAddress, requireLockedPerson, requirePerson } from './people.ts';

const RECENT = 10;
// Maximum number of audit lines about mails that are read. A mail has at most four lines, unless staff retry the mail
// several times.
const EVENTS = 100;

/**
 * Returns the record of the person. `named` is a `user_id` or an address. `today` decides the states of the grants.
 * `outbox` is null if a mail server is set.
 * @throws AppError user_not_found.
 */
export async function readPerson(
  db: Db,
  named: string,
  { today, outbox }: { today: string; outbox: unknown },
): Promise<PersonRecord> {
  const found = await requirePerson(db, named, people.findAnyPerson);
  const { mail_refused_at, mail_refused_reason, erased_at, ...user } = found;
  const coupons = await people.listCouponsOf(db, user.id);
  // Reads the job queue before the audit log. So a mail that is sent between the two reads is not missing: the log
  // contains it.
  const waiting = await listWaitingMails(db, user.email);
  const events = await listMailEvents(db, user.id, EVENTS);
  const mails = listMails(events, waiting);
  return {
    user,
    cohorts: await people.listCohortsOf(db, user.id),
    grants: await listGrants(db, { user_id: user.id }, today),
    coupons: coupons.map(({ coupon_code, ...coupon }) => ({ ...coupon, hint: findSuffix(coupon_code) })),
    mail: {
      refused_at: mail_refused_at,
      reason: mail_refused_reason,
      queued: mails.filter(({ state }) => state === 'queued'),
      recent: mails.slice(0, RECENT),
      outbox: outbox !== null,
    },
    last_sign_in_at: await people.findLastSignIn(db, user.email),
    waiting: [],
    ...(erased_at !== null && { erased_at }),
  };
}

/** Returns the record of the code, with its state on the day `today`. @throws AppError not_found. */
export async function readCoupon(db: Db, id: string, today: string): Promise<CouponRecord> {
  const coupon = await people.findCoupon(db, id, today);
  if (coupon === null) throw new AppError('not_found', 'Coupon not found');
  const { coupon_code, ...record } = coupon;
  return { ...record, hint: findSuffix(coupon_code) };
}

const STATES: Record<string, PersonMail['state']> = {
  'mail.queue': 'queued',
  'mail.retry': 'queued',
  'mail.send': 'sent',
  'mail.fail': 'failed',
  'mail.bounce': 'bounced',
};
const NOT_SENT = 'The email was not sent: it was cancelled, or a newer email took its place.';

/**
 * Returns the mails, newest first. `events` must be sorted newest first: the first event of a mail decides its state
 * (R-TRAIL-31).
 */
function listMails(events: readonly MailEvent[], waiting: readonly WaitingMail[]): PersonMail[] {
  const jobs = new Map(waiting.map((job) => [job.id, job]));
  const mails = new Map<string, PersonMail>();
  for (const { job, id, action, actor, at, kind, product, words } of events) {
    const key = job ?? `line ${id}`;
    const known = mails.get(key);
    const by = action === 'mail.queue' && actor.includes('@') ? actor : null;
    if (known !== undefined) known.by ??= by;
    else mails.set(key, { kind, product, state: STATES[action] ?? 'queued', at, by, words });
  }
  for (const [key, mail] of mails) {
    const job = jobs.get(key);
    jobs.delete(key);
    // The state of the job is newer than the events: the portal retries the mail, or staff have put the failed mail
    // back in the queue.
    if (job !== undefined) Object.assign(mail, { state: 'queued', words: job.reason, due_at: job.due_at });
    else if (mail.state === 'queued' && !key.startsWith('line '))
      Object.assign(mail, { state: 'failed', words: NOT_SENT });
  }
  const others = [...jobs.values()].map((job): PersonMail => {
    const { product, created_at: at, due_at, reason: words } = job;
    return { kind: mailKindOf(job.kind), product, state: 'queued', at, due_at, by: null, words };
  });
  return [...mails.values(), ...others].sort((a, b) => b.at.localeCompare(a.at));
}

type SaveOrder = {
  actor: string;
  user: SavedUser;
  today: string;
  /** If set, the user gets a mail about the new products. */
  notice?: Pick<Notice, 'language' | 'now'> | undefined;
  /**
   * True if the call must not change name and phone number of a member of the team, because only owners may change them
   * (R-TEAM-43, N-320).
   */
  keepsMembers?: boolean;
};

/**
 * Creates or updates the user. Gives the user access to the products, from `today` on unless `user` names other days,
 * and adds the user to the cohorts. Never removes access. Replaces name and phone number unless the new value is null.
 * Keeps the role.
 * @throws AppError invalid_request if a product does not exist, or a new user has no name or no valid address
 * (R-MAP-03); product_not_found if a product is archived; cohort_not_found; too_many if the user would be in too many
 * cohorts. If it throws, nothing is saved.
 */
export async function saveUser(
  db: Database,
  { actor, user, today, notice, keepsMembers = false }: SaveOrder,
): Promise<AppUser> {
  const days = resolveDays(user, today);
  return db.transaction(async (tx) => {
    const product_ids = await requireProducts(tx, user.product_ids, unknownProduct());
    const cohort_ids: string[] = [];
    for (const id of new Set(user.cohort_ids)) cohort_ids.push((await requireCohort(tx, id)).cohort_id);
    const email = await judgeAddress(tx, user.email);
    const { saved, before } = await people.upsertUser(tx, { ...user, email }, { keepsMembers });
    if (before === null && user.name === null) throw new AppError('invalid_request', 'name is required');
    if (notice) {
      const access = { emails: [saved.email], product_ids, cohort_ids, starts_on: days.starts_on, today };
      await notifyPeople(tx, access, { ...notice, actor, import_id: null });
    }
    for (const cohort_id of cohort_ids) {
      await refuseFull(tx, { cohort_id, ids: [saved.id] });
      await joinCohort(tx, { cohort_id, ids: [saved.id], actor });
    }
    const given = { emails: [saved.email], product_ids, ...days };
    const { product_ids: granted } = await grantAccess(tx, { ...given, today, actor });
    const action = before === null ? 'user.create' : 'user.update';
    const detail = { granted, ...(before && listChanges(before, { from: before, to: saved })) };
    await createAuditLine(tx, { actor, action, user_id: saved.id, detail });
    return saved;
  });
}

export type EditTools = {
  adminEmails: readonly string[];
  /** Deletes the sign-in account of a former address. `closeAccount` is null with a hosted sign-in service. */
  closeAccount: ((tx: Db, email: string) => Promise<void>) | null;
};

type Edit = EditedPerson & { user_id: string; actor: Member };

/**
 * Changes the person. A new address ends the sessions of the old address, and cancels the unsent mails to it. Grants,
 * cohorts and codes belong to the person and stay. An edit that changes nothing succeeds with any version, so a call
 * may be repeated.
 * @throws AppError user_not_found; role_too_low for a member of the team, unless the actor is an owner (R-TEAM-43);
 * edit_conflict if somebody changed the person after `version` (N-317); duplicate_email with `user_id`; last_owner
 * (N-02).
 */
export async function editPerson(db: Database, edit: Edit, tools: EditTools): Promise<VersionedUser> {
  const result = await db
    .transaction((tx) => changePerson(tx, edit, tools))
    .catch(async (error: unknown) => {
      if (!isUniqueViolation(error, 'app_user_email_key')) throw error;
      // A concurrent transaction has given the address to somebody else.
      throw duplicateEmail(await people.findIdOfEmail(db, edit.email));
    });
  if (result === 'last_owner') throw lastOwner();
  return result;
}

// Returns 'last_owner' instead of throwing it, so that the audit line of this refusal is committed (R-TRAIL-60).
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
  // `isSame` is true if only the form of the address differs. Such an edit keeps the stored form (N-303).
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
    if (team_role === 'owner' && isLastOwner(owners, before, { ...tools, actor })) {
      const refused = { email: [before.email, email] };
      const line = { actor: actor.email, action: 'team.refused_last_owner', user_id: id, detail: refused };
      await createAuditLine(tx, line);
      return 'last_owner';
    }
    await team.moveInTeam(tx, { id, to: email });
    await people.leaveIdentities(tx, id);
  }
  const saved = await people.updatePerson(tx, { id, ...fields });
  if (isMoved) await leaveAddress(tx, before, tools);
  await createAuditLine(tx, { actor: actor.email, action: 'user.edit', user_id: id, detail });
  return { ...before, ...fields, version: saved };
}

/**
 * Changes the name of the actor, a member of the team (R-DAY-52). Unlike `editPerson`, needs no higher role.
 * @throws AppError edit_conflict if `was` is given, and is not the name that the portal shows now. A repeated call
 * succeeds.
 */
export async function renameMember(
  db: Database,
  { actor, name, was }: OwnName & { actor: Member },
): Promise<Pick<AppUser, 'user_id' | 'email' | 'name'>> {
  return db.transaction(async (tx) => {
    const user_id = await findUserId(tx, actor.email);
    await team.lockOwners(tx, user_id);
    await requireActor(tx, actor, setOwnName.role);
    const { id, email, phone_number, ...before } = await requireLockedPerson(tx, actor.email);
    if (before.name !== name) {
      // Without a stored name, pages show the name of the sign-in service.
      if (was !== undefined && was !== (before.name ?? actor.name))
        throw new AppError('edit_conflict', 'Somebody else changed your name meanwhile.');
      await people.updatePerson(tx, { id, email, name, phone_number });
      const detail = { name: [before.name, name] };
      await createAuditLine(tx, { actor: actor.email, action: 'team.rename', user_id: id, detail });
    }
    return { user_id: before.user_id, email, name };
  });
}

// Cancels the unsent mails to the old address, and deletes its account.
async function leaveAddress(tx: Db, { id, email }: AppUser, { closeAccount }: EditTools): Promise<void> {
  for (const mail of await deleteMailsTo(tx, email))
    await createAuditLine(tx, {
      actor: 'portal',
      action: 'mail.fail',
      user_id: id,
      product_id: mail.product_id,
      detail: { kind: mailKindOf(mail.kind), id: mail.id, words: ADDRESS_CHANGED },
    });
  await cancelNotices(tx, { user: id }, ADDRESS_CHANGED);
  await closeAccount?.(tx, email);
}

function duplicateEmail(user_id: string | null): AppError {
  const details = user_id === null ? {} : { user_id };
  return new AppError('duplicate_email', 'Somebody else has this address', details);
}

/**
 * Adds the note as an audit line, once for all calls with the same `id` (N-325). The line of a note about a code also
 * names the product and the holder. @throws AppError user_not_found, product_not_found or not_found if the subject
 * does not exist; invalid_request if the text contains a code (N-90); id_in_use if the id was used for something else.
 */
export async function addNote(
  db: Database,
  { actor, text, id, ...note }: NewNote & { actor: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    const subject = await findSubject(tx, note);
    await refuseCodes(tx, text, null);
    if (!(await isFirstSent(tx, id, { actor, action: 'note.add', text, ...subject }))) return;
    await createAuditLine(tx, { actor, action: 'note.add', ...subject, detail: { text } });
  });
}

async function findSubject(tx: Db, { user_id, coupon_id, product_id }: Omit<NewNote, 'text' | 'id'>) {
  if (user_id !== undefined) {
    const person = await people.findPerson(tx, user_id);
    if (person === null) throw new AppError('user_not_found', 'User not found');
    return { user_id: person.id };
  }
  if (coupon_id !== undefined) {
    const { id, holder, ...coupon } = await requireCoupon(tx, coupon_id);
    return { coupon_id: id, product_id: coupon.product_id, ...(holder !== null && { user_id: holder }) };
  }
  const id = product_id?.toLowerCase() ?? '';
  await requireProduct(tx, id);
  return { product_id: id };
}
