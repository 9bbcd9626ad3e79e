// Adds a sign-in mail to the job queue, within the rate limits.
import { authError } from '../auth-error.ts';
import { type AuthContext, moveTime } from '../context.ts';
import { enqueueMail, findLastMail, type SignInMail } from '../stores/mails.ts';

/**
 * Requests a sign-in mail. Known and unknown addresses behave alike here; the job that sends the mail checks whether
 * the user exists.
 * @throws over_email_send_rate_limit if the last mail to the address was too recent, or the address has
 * reached its limit of mails an hour.
 * @throws over_request_rate_limit if the total of mails to all addresses is over its limit.
 */
export async function requestSignInMail(
  context: AuthContext,
  { email, ...mail }: SignInMail & { email: string },
): Promise<void> {
  const { db, settings, limits, log } = context;
  const now = context.now();
  if (!(await limits.mayMail(email))) {
    throw authError(429, 'over_email_send_rate_limit', 'email rate limit exceeded');
  }
  if (!(await limits.mayMailAnybody())) {
    log.error('Sign-in mails are refused: more were asked for than the limit for all addresses together');
    throw authError(
      429,
      'over_request_rate_limit',
      'Too many people ask for mails. Please try again in a few minutes.',
    );
  }
  const since = moveTime(now, -settings.mailIntervalSeconds);
  if (!(await enqueueMail(db, email, mail, { since, now }))) {
    const last = await findLastMail(db, email);
    throw tooSoon(last === null ? now : new Date(last), now, settings.mailIntervalSeconds);
  }
  // The mail is counted only after it was enqueued, because a request that enqueues no mail must not count against the
  // address.
  await limits.countMail(email);
  context.wakeJobs('mail');
}

function tooSoon(last: Date, now: Date, intervalSeconds: number) {
  const secondsLeft = Math.ceil((last.getTime() - now.getTime()) / 1000 + intervalSeconds);
  return authError(
    429,
    'over_email_send_rate_limit',
    `For security purposes, you can only request this after ${Math.max(1, secondsLeft)} seconds.`,
  );
}
