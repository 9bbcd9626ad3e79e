// Sends mails at the pace that their mail server accepts, and not faster than SMTP_PER_MINUTE (R-MAP-31).
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

/** Claims at most `limit` due mails. */
type Claim = (db: Db, limit: number) => Promise<Job[]>;

export type PacedMailer = Mailer & {
  /** Claims at most `limit` mails, but not more than the pace allows now. */
  claim(limit: number, claim: Claim): Promise<Job[]>;
};

// The pace that is assumed if SMTP_PER_MINUTE is not set. When the mail server throttles for the first time, half of it
// becomes the limit. We know of no mail server that throttles at a higher pace.
const FULL_PER_MINUTE = 960;
// A mail is retried after this time if the mail server refused it to slow the portal down. The pace may delay the retry.
const WAIT_SECONDS = 10;

/**
 * Returns a mailer that slows down for all processes when the mail server asks for it. `perMinute` is the most mails a
 * minute that all processes send together; null: no limit.
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
        // The mail server has accepted the mail: an error here must not cause a retry.
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
        // Claims only mails for which a connection is free. A claimed mail that waits for a connection would be sent at
        // any later time, outside of the pace.
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
 * Returns how many mails may be sent now (`count`), and a function that returns when the next mail may be sent after `count`
 * mails (generic cell rate algorithm). Workers poll once a second, so all mails of one second may be sent together, with one
 * of the second before. So the interval between mails is slightly longer than a minute divided by `perMinute`: no minute
 * has more than `perMinute` mails.
 */
function listTurns(perMinute: number, freeAt: number, now: Date) {
  const burst = Math.min(perMinute, Math.ceil(perMinute / 60) + 1);
  const intervalMs = 60_000 / (perMinute - burst + 1);
  const nowMs = now.getTime();
  // A later time was written by a clock that was ahead.
  const firstMs = Math.max(nowMs, Math.min(freeAt, nowMs + burst * intervalMs));
  return {
    count: Math.floor((nowMs + burst * intervalMs - firstMs) / intervalMs + 0.001),
    after: (mails: number) => new Date(Math.ceil(firstMs + mails * intervalMs)),
  };
}
