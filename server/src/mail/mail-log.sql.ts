// Writes what became of a mail: lines of the audit log, and the permanent refusal of an address.
import type { Db } from '../db/database.ts';
import { ORIGIN_COLUMNS, originOf } from '../features/log/origin.sql.ts';

export type MailLine = {
  actor: string;
  action: 'mail.queue' | 'mail.send' | 'mail.retry' | 'mail.fail';
  /** The recipient. */
  email: string;
  product_id: string | null;
  detail: Record<string, unknown>;
};

/** Adds an audit line about a mail. Adds none if the portal does not know the address (R-TRAIL-30). */
export async function createMailLine(
  db: Db,
  { actor, action, email, product_id, detail }: MailLine,
): Promise<void> {
  await db.query(
    `insert into audit (actor, ${ORIGIN_COLUMNS}, action, user_id, product_id, detail)
     select $1, $2, $3, $4, $5, $6, id, $7, $8 from app_user where email = $9`,
    [actor, ...originOf(actor), action, product_id, JSON.stringify(detail), email],
  );
}

/**
 * Stores that the mail server refuses mails to this address for good. An earlier refusal keeps its time. Skips a user
 * whom another transaction has locked: that transaction may be deleting this job, and the two would deadlock. Then the
 * next refused mail stores the refusal.
 */
export async function setMailRefusal(
  db: Db,
  { email, reason, at }: { email: string; reason: string; at: Date },
): Promise<void> {
  await db.query(
    `with refused as (select id from app_user where email = $1 for no key update skip locked)
     update app_user u set mail_refused_at = coalesce(mail_refused_at, $3), mail_refused_reason = $2
     from refused where u.id = refused.id`,
    [email, reason, at.toISOString()],
  );
}
