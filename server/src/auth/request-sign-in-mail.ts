// Adds a sign-in mail to the job queue, within the rate limits.
import type { Db } from '../db/database.ts';
import { authError } from './auth-error.ts';
import { type AuthContext, moveTime } from './context.ts';
import { enqueueMail, findLastMail, type SignInMail } from './mails.sql.ts';

type Order = SignInMail & { email: string };

/**
 * The result of a request for a sign-in mail: the id of the job, or why there is none. `secondsLeft`: the last mail to
 * the address was too recent. `over`: the address, or the total of all addresses, has reached its limit.
 */
export type MailRequest = { id: string } | { secondsLeft: number } | { over: 'address' | 'all' };

/**
 * Requests a sign-in mail. Known and unknown addresses behave alike here; the job that sends the mail checks whether
 * the user exists.
 * @throws over_email_send_rate_limit if the last mail to the address was too recent, or the address has
 * reached its limit of mails an hour.
 * @throws over_request_rate_limit if the total of mails to all addresses is over its limit.
 */
export async function requestSignInMail(context: AuthContext, order: Order): Promise<void> {
  const request = await enqueueSignInMail(context, context.db, order);
  if ('over' in request && request.over === 'all')
    throw authError(
      429,
      'over_request_rate_limit',
      'Too many people ask for mails. Please try again in a few minutes.',
    );
  if ('over' in request) throw authError(429, 'over_email_send_rate_limit', 'email rate limit exceeded');
  if ('secondsLeft' in request)
    throw authError(
      429,
      'over_email_send_rate_limit',
      `For security purposes, you can only request this after ${request.secondsLeft} seconds.`,
    );
  context.wakeJobs('mail');
}

/** Adds the mail to the queue through `db`, which may be a transaction. The caller wakes the worker. */
export async function enqueueSignInMail(
  { settings, limits, log, ...context }: AuthContext,
  db: Db,
  { email, ...mail }: Order,
): Promise<MailRequest> {
  const now = context.now();
  if (!(await limits.mayMail(email))) return { over: 'address' };
  if (!(await limits.mayMailAnybody())) {
    log.error('Sign-in mails are refused: more were asked for than the limit for all addresses together');
    return { over: 'all' };
  }
  const since = moveTime(now, -settings.mailIntervalSeconds);
  const id = await enqueueMail(db, email, mail, { since, now });
  if (id === null) {
    const last = await findLastMail(db, email, now);
    return { secondsLeft: countSeconds(last === null ? now : new Date(last), now, settings) };
  }
  // The mail is counted only after it was enqueued, because a request that enqueues no mail must not count against the
  // address.
  await limits.countMail(email);
  return { id };
}

function countSeconds(last: Date, now: Date, { mailIntervalSeconds }: AuthContext['settings']): number {
  return Math.max(1, Math.ceil((last.getTime() - now.getTime()) / 1000 + mailIntervalSeconds));
}
