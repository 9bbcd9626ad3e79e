// Statements about mails: audit lines, permanently refused addresses, and the pace at which all processes together send
// mails (table `mail_pace`).
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

/** Adds an audit line about a mail, unless the address belongs to no user (R-TRAIL-30). */
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

/** `per_minute` is null if the mail server has not asked for fewer mails. `free_at` is in ISO 8601. */
type MailPace = { per_minute: number | null; free_at: string };

// The least pace: a mail every few seconds, so that the portal notices soon that the mail server accepts mails again.
const LEAST_PER_MINUTE = 6;

/** Returns the pace. Its limit expires an hour after `changed_at`. */
export async function findMailPace(db: Db, now: Date): Promise<MailPace | null> {
  const { rows } = await db.query<MailPace>(
    `select free_at, case when changed_at > $1::timestamptz - interval '1 hour' then per_minute end as per_minute
     from mail_pace`,
    [now.toISOString()],
  );
  return rows[0] ?? null;
}

/** Returns the pace, and locks its row until the transaction ends, so that processes do not claim mails concurrently. */
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
 * Counts an accepted mail. After every 20 accepted mails the pace is doubled (R-MAP-31). When it reaches `full` mails a
 * minute, it is removed: mails are no longer limited. A pace expires after an hour.
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
 * Halves the pace, from `full` mails a minute if there is none yet. Returns the new pace. Returns null, and changes
 * nothing, if the pace was changed after the refused mail was begun at `begunAt`: one burst of refusals halves it once.
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
 * Stores that the mail server delayed the mail `id`. Returns true if it has delayed no other mail since it last accepted one.
 * The reason may then be this mailbox, not the number of mails (N-313).
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
