// Shows one hidden code to one of staff. Each code that is shown is in the audit, and their number is limited, so that
// nobody can copy many codes unnoticed.
import { findHint, hasRole } from '@portal/contract';
import { AppError } from '../app-error.ts';
import type { Database, Db } from '../db/database.ts';
import { enqueueMailJob } from '../jobs/mail-log.ts';
import type { Job } from '../jobs/stores/jobs.ts';
import { createAuditLine } from '../stores/audit.ts';
import type { Member } from '../stores/callers.ts';
import { countReveals, MAX_REVEALS, REVEAL_MINUTES, recordReveal } from '../stores/reveals.ts';
import { findStoredCoupon, type StoredCoupon } from '../stores/revocations.ts';
import { listOwnerEmails, lockUser } from '../stores/users.ts';
import { isRowId } from './is-row-id.ts';

const REFUSED = 'coupon.refused_reveal';

type Caller = Pick<Member, 'email' | 'team_role' | 'user_id'>;

/**
 * Returns the code with this id. Below the role manager, only a code that is or was assigned to a user is shown. The
 * first call over the limit enqueues a mail to each owner (R-IMP-42).
 * @throws AppError not_found; not_held; too_many_requests with `retry_after`.
 */
export async function revealCoupon(
  db: Database,
  { id, caller }: { id: string; caller: Caller },
  { now }: { now: () => Date },
): Promise<{ coupon_code: string }> {
  const shown = await db.transaction(async (tx) => {
    const coupon = isRowId(id) ? await findStoredCoupon(tx, id) : null;
    if (coupon === null) throw new AppError('not_found', 'Coupon not found');
    if (coupon.holder === null && !hasRole(caller.team_role, 'manager'))
      throw new AppError('not_held', 'Nobody holds this code.');
    const staff = caller.user_id;
    await lockUser(tx, staff);
    const { retry_after, was_refused } = await countReveals(tx, staff);
    if (retry_after === null || !was_refused)
      await recordReveal(tx, { staff, refused: retry_after !== null });
    if (retry_after === null) {
      await auditReveal(tx, coupon, caller.email);
      return coupon;
    }
    // The transaction must commit the audit line and the mails. So the error is thrown after the transaction.
    if (!was_refused) await tellOwners(tx, caller, now());
    return { retry_after };
  });
  if ('retry_after' in shown) throw tooManyReveals(shown.retry_after);
  return { coupon_code: shown.coupon_code };
}

function auditReveal(tx: Db, { id, coupon_code, holder, product_id }: StoredCoupon, actor: string) {
  return createAuditLine(tx, {
    actor,
    action: 'coupon.reveal',
    ...(holder !== null && { user_id: holder }),
    product_id,
    coupon_id: id,
    detail: { hint: findHint(coupon_code) },
  });
}

async function tellOwners(tx: Db, { email: actor, team_role }: Caller, at: Date): Promise<void> {
  await createAuditLine(tx, { actor, action: REFUSED });
  for (const about of await listOwnerEmails(tx)) {
    const key = `${REFUSED} ${actor} ${at.toISOString()} ${about}`;
    const job = { kind: 'notice-mail' as const, key, data: { about, actor, team_role } };
    await enqueueMailJob(tx, job, { actor: 'portal', now: at });
  }
}

function tooManyReveals(retry_after: number): AppError {
  const period = `You showed ${MAX_REVEALS} codes in the last ${REVEAL_MINUTES} minutes.`;
  const wait = `Please wait ${Math.ceil(retry_after / 60)} min.`;
  return new AppError('too_many_requests', `${period} ${wait} The owners were told by mail.`, {
    retry_after,
  });
}

/** Returns the mail of a job that `revealCoupon` enqueued. */
export function writeRevealNotice(
  { data }: Job,
  publicUrl: string,
): { to: string; subject: string; text: string } {
  const { about: to, actor, team_role } = data as { about: string } & Record<'actor' | 'team_role', string>;
  const subject = `${MAX_REVEALS} codes shown in ${REVEAL_MINUTES} minutes: ${actor}`;
  const text = [
    `${actor} (role: ${team_role}) let the portal show ${MAX_REVEALS} hidden codes within ${REVEAL_MINUTES} minutes, and then asked for one more. The portal refused it, and lets this person see at most ${MAX_REVEALS} codes in any ${REVEAL_MINUTES} minutes.`,
    'If you do not know why so many codes were needed, please ask this person. The audit names each code that was shown.',
    `The team is here:\n${publicUrl}/admin/users/team`,
  ];
  return { to, subject, text: `${text.join('\n\n')}\n` };
}
