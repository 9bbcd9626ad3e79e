// The queue of promised mails, and the least time between two mails to one address.
import type { Db } from '../../db/database.ts';
import type { Challenge } from '../pkce.ts';

export type QueuedMail = Challenge & {
  email: string;
  create_user: boolean;
  redirect_to: string;
  /** As its tag. */
  language: string;
};

export type ClaimedMail = QueuedMail & { id: string; attempts: number; give_up_at: string };

/**
 * Puts a mail into the queue, due at once, when the address's last one is not younger than `since`; false when it is. One
 * statement, so that of requests at the same moment one is promised a mail. An older mail that still waits is replaced,
 * and has another id: it would come after this one and take its link's place.
 */
export async function promiseMail(
  db: Db,
  mail: QueuedMail,
  { since, now, giveUpAt }: { since: Date; now: Date; giveUpAt: Date },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `with turn as (
       insert into auth_mail_window (email, mailed_at) values ($1, $7)
       on conflict (email) do update set mailed_at = excluded.mailed_at where auth_mail_window.mailed_at <= $6
       returning email
     )
     insert into auth_mail
       (email, create_user, redirect_to, code_challenge, code_challenge_method, due_at, give_up_at, language)
     select email, $2::boolean, $3, $4, $5, $7, $8::timestamptz, $9 from turn
     on conflict (email) do update set id = default, create_user = excluded.create_user,
       redirect_to = excluded.redirect_to, code_challenge = excluded.code_challenge,
       code_challenge_method = excluded.code_challenge_method, attempts = default, due_at = excluded.due_at,
       give_up_at = excluded.give_up_at, language = excluded.language`,
    [
      mail.email,
      mail.create_user,
      mail.redirect_to,
      mail.code_challenge,
      mail.code_challenge_method,
      since.toISOString(),
      now.toISOString(),
      giveUpAt.toISOString(),
      mail.language,
    ],
  );
  return rowCount > 0;
}

/** When an address was last promised a mail, ISO 8601. */
export async function findLastMail(db: Db, email: string): Promise<string | null> {
  const { rows } = await db.query<{ mailed_at: string }>(
    'select mailed_at from auth_mail_window where email = $1',
    [email],
  );
  return rows[0]?.mailed_at ?? null;
}

/** Takes an address's waiting mail out of the queue. */
export async function deleteMailOf(db: Db, email: string): Promise<void> {
  await db.query('delete from auth_mail where email = $1', [email]);
}

/** Takes the mail that waits longest; until `leaseUntil` no other process sees it. */
export async function claimMail(db: Db, now: Date, leaseUntil: Date): Promise<ClaimedMail | null> {
  const { rows } = await db.query<ClaimedMail>(
    `update auth_mail set attempts = attempts + 1, due_at = $2
     where id = (select id from auth_mail where due_at <= $1 order by due_at, id limit 1 for update skip locked)
     returning id, email, create_user, redirect_to, language, code_challenge, code_challenge_method, attempts,
       give_up_at`,
    [now.toISOString(), leaseUntil.toISOString()],
  );
  return rows[0] ?? null;
}

/** Lets a claimed mail be tried again at `dueAt`, unless it was claimed anew since. */
export async function postponeMail(
  db: Db,
  { id, attempts }: Pick<ClaimedMail, 'id' | 'attempts'>,
  dueAt: Date,
): Promise<void> {
  await db.query('update auth_mail set due_at = $3 where id = $1 and attempts = $2', [
    id,
    attempts,
    dueAt.toISOString(),
  ]);
}

/** Takes a mail out of the queue: it was sent, or given up. */
export async function deleteMail(db: Db, id: string): Promise<void> {
  await db.query('delete from auth_mail where id = $1', [id]);
}

// Enough to say that the queue is stuck; more would only cost time when there is least of it.
const MAILS_COUNTED = 10_000;

/** How many mails wait, counted up to ten thousand, and when the oldest of them is given up, ISO 8601; null without any. */
export async function measureMails(db: Db): Promise<{ waiting: number; give_up_at: string | null }> {
  const { rows } = await db.query<{ waiting: number; give_up_at: string | null }>(
    `select (select count(*)::int from (select from auth_mail limit ${MAILS_COUNTED}) counted) as waiting,
       (select give_up_at from auth_mail order by id limit 1) as give_up_at`,
  );
  return rows[0] ?? { waiting: 0, give_up_at: null };
}
