// Enqueues a sign-in mail and consumes the address's slot, atomically.
import { authError } from '../auth-error.ts';
import { type AuthContext, moveTime } from '../context.ts';
import { enqueueMail, findLastMail, type SignInMail } from '../stores/mails.ts';

/**
 * Known and unknown addresses are treated alike; whether the person exists is asked only when the mail is sent.
 * @throws over_email_send_rate_limit before the address's turn, saying the seconds left, and past the limits of
 * the address and of all together.
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
  // Only now: requests that promise nothing must not use up the address's mails.
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
