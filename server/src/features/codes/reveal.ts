// Shows one hidden code to a member of staff. Limits how many codes a member of staff can read, so that nobody copies
// many codes unnoticed. Shown codes count for every role, issued and replaced codes only for the role support
// (R-IMP-42, R-IMP-45).
import { findSuffix, hasRole } from '@portal/contract';
import { AppError } from '../../app-error.ts';
import type { Database, Db } from '../../db/database.ts';
import type { Job } from '../../jobs/jobs.sql.ts';
import type { MailBrand } from '../../mail/mail-frame.ts';
import { enqueueMailJob } from '../../mail/mail-log.ts';
import { composeStaffMail, type StaffMail } from '../../mail/staff-mail.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { listOwnerEmails } from '../people/people.sql.ts';
import { isAssignedBy } from '../redeem/redeem.sql.ts';
import type { Member } from '../team/callers.sql.ts';
import { countReveals, lockReveals, MAX_REVEALS, REVEAL_MINUTES, recordReveal } from './codes.sql.ts';
import { requireCoupon } from './codes.ts';

/**
 * Returns the code with this id. Below the role manager, only a code that is or was assigned to a user is shown. The
 * first call over the limit enqueues a mail to each owner (R-IMP-42).
 * @throws AppError not_found; not_held; too_many_requests with `retry_after`.
 */
export async function revealCoupon(
  db: Database,
  { id, caller }: { id: string; caller: Reader },
  { now }: { now: () => Date },
): Promise<{ coupon_code: string }> {
  const shown = await db.transaction(async (tx) => {
    const { coupon_code, holder, product_id } = await requireCoupon(tx, id);
    if (holder === null && !hasRole(caller.team_role, 'manager'))
      throw new AppError('not_held', 'Nobody holds this code.');
    const refused = await limitReveals(tx, caller, now());
    if (refused !== null) return refused;
    await recordReveal(tx, { staff: caller.user_id, refused: false });
    await createAuditLine(tx, {
      actor: caller.email,
      action: 'coupon.reveal',
      user_id: holder,
      product_id,
      coupon_id: id,
      detail: { hint: findSuffix(coupon_code) },
    });
    return { coupon_code };
  });
  if ('retry_after' in shown) throw tooManyReveals(shown);
  return shown;
}

const REFUSED = 'coupon.refused_reveal';

export type Reader = Pick<Member, 'email' | 'team_role' | 'user_id'>;
/**
 * The result of a transaction in which the limit refused a code. `retry_after` is the number of seconds until the next
 * code is allowed.
 */
type Refused = { retry_after: number };

/**
 * Returns null if the reader may read one more code. Otherwise returns the seconds to wait. The first call over the
 * limit adds an audit line and enqueues a mail to each owner. The transaction must commit, so that this line and these
 * mails are stored. So the caller throws `tooManyReveals` only after the transaction. Takes an advisory lock of the
 * reader until the transaction ends. Call this function before the transaction locks a row, else two transactions could
 * deadlock.
 */
async function limitReveals(tx: Db, reader: Reader, at: Date): Promise<Refused | null> {
  const staff = reader.user_id;
  await lockReveals(tx, staff);
  const { retry_after, was_refused } = await countReveals(tx, staff);
  if (retry_after === null) return null;
  if (was_refused) return { retry_after };
  await recordReveal(tx, { staff, refused: true });
  const { email: actor, team_role } = reader;
  await createAuditLine(tx, { actor, action: REFUSED });
  for (const about of await listOwnerEmails(tx)) {
    const key = `${REFUSED} ${actor} ${at.toISOString()} ${about}`;
    const job = { kind: 'notice-mail' as const, key, data: { about, actor, team_role } };
    await enqueueMailJob(tx, job, { actor: 'portal', now: at });
  }
  return { retry_after };
}

/** Does the same as `limitReveals` for a call that issues a code. Limits only the role support (N-319). */
export async function limitIssues(tx: Db, reader: Reader | undefined, at: Date): Promise<Refused | null> {
  return reader?.team_role === 'support' ? limitReveals(tx, reader, at) : null;
}

/**
 * Counts an issued code towards the limit. Call this function after `limitIssues` in the same transaction. Does not
 * count a code that somebody else had assigned to the user, because the reply hides such a code (R-IMP-44).
 */
export async function countIssued(
  tx: Db,
  reader: Reader | undefined,
  coupon: { product_id: string; email: string; coupon_code: string },
): Promise<void> {
  if (reader?.team_role !== 'support') return;
  if (!(await isAssignedBy(tx, { ...coupon, by: reader.email }))) return;
  await recordReveal(tx, { staff: reader.user_id, refused: false });
}

export function tooManyReveals({ retry_after }: Refused): AppError {
  const wait = Math.ceil(retry_after / 60);
  return new AppError(
    'too_many_requests',
    `You showed ${MAX_REVEALS} codes in the last ${REVEAL_MINUTES} minutes. Please wait ${wait} min. The owners were told by mail.`,
    { retry_after },
  );
}

/** Returns the mail of a job that `limitReveals` enqueued. */
export function writeRevealNotice(
  { data }: Job,
  { publicUrl, brand }: { publicUrl: string; brand: MailBrand },
): StaffMail {
  const { about: to, actor, team_role } = data as { about: string } & Record<'actor' | 'team_role', string>;
  const subject = `${MAX_REVEALS} codes shown in ${REVEAL_MINUTES} minutes: ${actor}`;
  const paragraphs = [
    `${actor} (role: ${team_role}) let the portal show, issue or replace ${MAX_REVEALS} codes within ${REVEAL_MINUTES} minutes, and then asked for one more. The portal refused it, and lets this person see at most ${MAX_REVEALS} codes in any ${REVEAL_MINUTES} minutes.`,
    'If you do not know why so many codes were needed, please ask this person. The audit names each of these codes.',
  ];
  const link = `${publicUrl}/admin/users/team`;
  const linkTexts = { linkLabel: 'The team is here:', button: 'Open the team', link };
  return composeStaffMail({ to, subject, brand, paragraphs, ...linkTexts });
}
