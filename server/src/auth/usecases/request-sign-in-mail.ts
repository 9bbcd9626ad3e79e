// Promises a sign-in mail: reserves the address's turn and queues the mail, in one transaction.
import { authError } from '../auth-error.ts';
import { type AuthContext, moveTime } from '../context.ts';
import { createMail, deleteMailOf, findLastMail, type QueuedMail, reserveMail } from '../stores/mails.ts';

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
  await db.transaction(async (tx) => {
    const since = moveTime(now, -settings.mailIntervalSeconds);
    if (!(await reserveMail(tx, mail.email, since, now))) {
      const last = await findLastMail(tx, mail.email);
      throw tooSoon(last === null ? now : new Date(last), now, settings.mailIntervalSeconds);
    }
    // An older mail that still waits would come after this one and take its link's place.
    await deleteMailOf(tx, mail.email);
    await createMail(tx, mail, now, moveTime(now, settings.linkSeconds));
  });
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
