// Sends mails at a rate that the mail server accepts, and at most SMTP_PER_MINUTE mails a minute (R-MAP-31). The rate
// is called pace here, and is shared by all processes (table `mail_pace`).
import type { Logger } from 'pino';
import type { Database, Db } from '../db/database.ts';
import { MAIL_CONNECTIONS, MailError, type Mailer } from '../gateways/mailer.ts';
import { LANES } from '../jobs/job-kinds.ts';
import type { Job } from '../jobs/jobs.sql.ts';
import {
  countAccepted,
  findMailPace,
  halvePace,
  isOnlyDelayed,
  lockMailPace,
  setNextMail,
} from './mails.sql.ts';

/** Claims at most `limit` due mail jobs. */
type Claim = (db: Db, limit: number) => Promise<Job[]>;

export type PacedMailer = Mailer & {
  /** Calls `claim` with `limit`, or with a lower limit if the pace allows fewer mails now. */
  claim(limit: number, claim: Claim): Promise<Job[]>;
};

// The highest pace, in mails a minute, if SMTP_PER_MINUTE is not set. When the mail server first throttles the portal,
// the pace becomes half of this. We know of no mail server that throttles at a higher pace.
const FULL_PER_MINUTE = 960;
// The pause before the retry of a mail that the mail server refused because it throttles the portal.
const WAIT_SECONDS = 10;

/**
 * Returns a mailer that reduces the pace when the mail server throttles the portal. `perMinute` is the maximum number
 * of mails that all processes together send in a minute; null for no maximum.
 */
export function openMailPace({
  db,
  mailer,
  perMinute,
  now,
  log,
}: {
  db: Database;
  mailer: Mailer;
  perMinute: number | null;
  now: () => Date;
  log: Pick<Logger, 'warn'>;
}): PacedMailer {
  const full = perMinute ?? FULL_PER_MINUTE;
  const slowDown = async (error: MailError, id: string, begunAt: Date): Promise<void> => {
    if (error.slowsDown === null) return;
    if (error.slowsDown === 'recipient' && (await isOnlyDelayed(db, id))) return;
    error.waitSeconds = WAIT_SECONDS;
    const pace = await halvePace(db, { full, begunAt, now: now() });
    if (pace !== null)
      log.warn({ per_minute: pace }, 'The mail server asks for fewer mails: the portal slows down');
  };
  return {
    send: async (mail, signal) => {
      const begunAt = now();
      try {
        const response = await mailer.send(mail, signal);
        // Ignores an error, because the mail server has accepted the mail: a retry would send the mail twice.
        await countAccepted(db, full, now()).catch(() => undefined);
        return response;
      } catch (error) {
        if (error instanceof MailError) await slowDown(error, mail.id ?? mail.to, begunAt);
        throw error;
      }
    },
    claim: async (limit, claim) => {
      if (perMinute === null && (await findMailPace(db, now()))?.per_minute == null) return claim(db, limit);
      return db.transaction(async (tx) => {
        const pace = await lockMailPace(tx, now());
        const turns = listTurns(Math.min(pace.per_minute ?? full, full), Date.parse(pace.free_at), now());
        // Claims only mails for which a connection is free. A claimed mail that waits for a connection could be sent
        // later, together with the mails that the pace allows then.
        const connections = limit - (LANES.mail.atOnce - MAIL_CONNECTIONS);
        const jobs = await claim(tx, Math.max(0, Math.min(connections, turns.count)));
        if (jobs.length > 0) await setNextMail(tx, turns.after(jobs.length));
        return jobs;
      });
    },
    close: mailer.close,
  };
}

/**
 * The generic cell rate algorithm. `freeAt` is when the next mail may be sent, in Unix time (ms). `count` is how many
 * mails may be sent now. `after(mails)` is the new `freeAt` if that many mails are sent now. Workers poll once a
 * second, so `burst` is the mails of one second and one more. The interval is longer than a minute divided by
 * `perMinute`, so that even a minute that begins with a burst has at most `perMinute` mails.
 */
function listTurns(perMinute: number, freeAt: number, now: Date) {
  const burst = Math.min(perMinute, Math.ceil(perMinute / 60) + 1);
  const intervalMs = 60_000 / (perMinute - burst + 1);
  const nowMs = now.getTime();
  // `Math.min`, because a later `freeAt` was written by a machine whose clock was ahead.
  const firstMs = Math.max(nowMs, Math.min(freeAt, nowMs + burst * intervalMs));
  return {
    count: Math.floor((nowMs + burst * intervalMs - firstMs) / intervalMs + 0.001),
    after: (mails: number) => new Date(Math.ceil(firstMs + mails * intervalMs)),
  };
}
