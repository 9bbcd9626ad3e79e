// Promises a sign-in mail: takes the address's turn and queues the mail, at once.
import { authError } from '../auth-error.ts';
import { type AuthContext, moveTime } from '../context.ts';
import { findLastMail, promiseMail, type QueuedMail } from '../stores/mails.ts';

/**
 * Known and unknown addresses are treated alike; whether the person exists is asked only when the mail is sent.
 * @throws over_email_send_rate_limit before the address's turn, saying the seconds left.
 */
export async function requestSignInMail(context: AuthContext, mail: QueuedMail): Promise<void> {
  const { db, settings, limits } = context;
  const now = context.now();
  if (!(await limits.mayMail(mail.email))) {
    throw authError(429, 'over_email_send_rate_limit', 'email rate limit exceeded');
  }
  const since = moveTime(now, -settings.mailIntervalSeconds);
  const giveUpAt = moveTime(now, settings.linkSeconds);
  if (!(await promiseMail(db, mail, { since, now, giveUpAt }))) {
    const last = await findLastMail(db, mail.email);
    throw tooSoon(last === null ? now : new Date(last), now, settings.mailIntervalSeconds);
  }
  // Only now: requests that promise nothing must not use up the address's mails.
  await limits.countMail(mail.email);
  context.wakeMailWorker();
}

function tooSoon(last: Date, now: Date, intervalSeconds: number) {
  const secondsLeft = Math.ceil((last.getTime() - now.getTime()) / 1000 + intervalSeconds);
  return authError(
    429,
    'over_email_send_rate_limit',
    `For security purposes, you can only request this after ${Math.max(1, secondsLeft)} seconds.`,
  );
}
