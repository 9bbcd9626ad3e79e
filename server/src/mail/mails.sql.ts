// SQL about mails: audit lines, addresses that a mail server refuses permanently, and the rate at which all processes
// together send mails (the pace, table `mail_pace`).
import type { Db } from '../db/database.ts';
import { originOf } from '../features/log/audit.sql.ts';

export type MailLine = {
  actor: string;
  action: 'mail.queue' | 'mail.send' | 'mail.retry' | 'mail.fail';
  /** The recipient. */
  email: string;
  product_id: string | null;
  detail: Record<string, unknown>;
};

/** Adds an audit line about a mail, if the address belongs to a user (R-TRAIL-30). */
export async function createMailLine(
  db: Db,
  { actor, action, email, product_id, detail }: MailLine,
): Promise<void> {
  await db.query(
    `insert into audit (actor, via, ip, actor_id, actor_name, action, user_id, product_id, detail)
     select $1, $2, $3, $4, $5, $6, id, $7, $8 from app_user where email = $9`,
    [actor, ...originOf(actor), action, product_id, JSON.stringify(detail), email],
  );
}

/**
 * Stores that the mail server permanently refuses mails to this address. If there was an earlier refusal, its time
 * stays. Skips a user whose row another transaction has locked, because the two transactions could deadlock: the other
 * transaction may be deleting this job. The next refused mail stores the refusal instead.
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

/**
 * `per_minute` is the pace in mails a minute; null if the mail server has not throttled the portal in the last hour.
 * `free_at` is when the next mail may be sent, in ISO 8601.
 */
type MailPace = { per_minute: number | null; free_at: string };

// The lowest pace. With a mail every ten seconds, the portal soon notices that the mail server accepts mails again.
const LEAST_PER_MINUTE = 6;

/** `per_minute` expires an hour after its last change. */
export async function findMailPace(db: Db, now: Date): Promise<MailPace | null> {
  const { rows } = await db.query<MailPace>(
    `select free_at, case when changed_at > $1::timestamptz - interval '1 hour' then per_minute end as per_minute
     from mail_pace`,
    [now.toISOString()],
  );
  return rows[0] ?? null;
}

/** Returns the pace, and locks its row until `tx` ends, so that two processes do not claim mails at the same time. */
export async function lockMailPace(tx: Db, now: Date): Promise<MailPace> {
  await tx.query('insert into mail_pace default values on conflict do nothing');
  const { rows } = await tx.query<MailPace>(
    `select free_at, case when changed_at > $1::timestamptz - interval '1 hour' then per_minute end as per_minute
     from mail_pace for update`,
    [now.toISOString()],
  );
  return rows[0] ?? { per_minute: null, free_at: now.toISOString() };
}

/** Stores when the next mail may be sent. */
export async function setNextMail(tx: Db, freeAt: Date): Promise<void> {
  await tx.query('update mail_pace set free_at = $1', [freeAt.toISOString()]);
}

/**
 * Counts an accepted mail. After every 20 accepted mails, the pace is doubled (R-MAP-31). A pace that would reach
 * `full` mails a minute is removed instead, as is a pace that was last changed more than an hour ago.
 */
export async function countAccepted(db: Db, full: number, now: Date): Promise<void> {
  await db.query(
    `update mail_pace set delayed = null, accepted = (accepted + 1) % 20,
       per_minute = case
         when accepted + 1 < 20 then case when changed_at > $2::timestamptz - interval '1 hour' then per_minute end
         when changed_at > $2::timestamptz - interval '1 hour' and per_minute * 2 < $1 then per_minute * 2
       end,
       changed_at = case when accepted + 1 < 20 then changed_at else $2 end
     where per_minute is not null or delayed is not null`,
    [full, now.toISOString()],
  );
}

/**
 * Halves the pace; without a pace, halves `full`. Returns the new pace in mails a minute. `begunAt` is when the portal
 * began to send the refused mail. Changes nothing and returns null if the pace was changed after `begunAt`, so that
 * several mails that are refused at the same time halve the pace only once.
 */
export async function halvePace(
  db: Db,
  { full, begunAt, now }: { full: number; begunAt: Date; now: Date },
): Promise<number | null> {
  const { rows } = await db.query<{ per_minute: number }>(
    `insert into mail_pace as p (per_minute, changed_at) values (greatest($1::integer / 2, $4::integer), $3)
     on conflict (one) do update set accepted = 0, changed_at = excluded.changed_at,
       per_minute = greatest(coalesce(
         case when p.changed_at > $3::timestamptz - interval '1 hour' then p.per_minute end, $1) / 2, $4)
     where p.changed_at < $2 or p.changed_at > $3
     returning per_minute`,
    [full, begunAt.toISOString(), now.toISOString(), Math.min(LEAST_PER_MINUTE, full)],
  );
  return rows[0]?.per_minute ?? null;
}

/**
 * Stores that the mail server delayed the mail `id`. Returns true if the server has delayed no other mail since it last
 * accepted a mail. The reason of the delay may then be this mailbox, not the number of mails (N-313).
 */
export async function isOnlyDelayed(db: Db, id: string): Promise<boolean> {
  const { rows } = await db.query<{ delayed: string }>(
    `insert into mail_pace as p (delayed) values ($1)
     on conflict (one) do update set delayed = case when coalesce(p.delayed, $1) = $1 then $1 else '*' end
     returning delayed`,
    [id],
  );
  return rows[0]?.delayed === id;
}
