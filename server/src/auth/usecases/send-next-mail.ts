// Sends the mail that waits longest; link and code are made at that moment, so that none lies in the queue.
import type { Mailer } from '../../gateways/mailer.ts';
import { isRefusedRecipient } from '../../gateways/mailer.ts';
import { type AuthContext, moveTime } from '../context.ts';
import { writeSignInMail } from '../mail/sign-in-mail.ts';
import { createCode, createLinkToken, hashCode, hashToken } from '../secrets.ts';
import { type ClaimedMail, claimMail, deleteMail, postponeMail } from '../stores/mails.ts';
import { saveOneTimeToken } from '../stores/one-time-tokens.ts';
import { hasUser } from '../stores/users.ts';

// Longer than a mailer takes at most, so that a mail under way is not sent by a second process.
const LEASE_SECONDS = 90;
const RETRY_SECONDS = [1, 5, 30, 120, 300];

/**
 * Answers false when no mail is due. The mail leaves the queue only after the mail server took it; otherwise it is
 * tried again, later and later, until its link would have died of age.
 */
export async function sendNextMail(context: AuthContext, mailer: Mailer): Promise<boolean> {
  const { db, log } = context;
  const now = context.now();
  const mail = await claimMail(db, now, moveTime(now, LEASE_SECONDS));
  if (mail === null) return false;
  if (new Date(mail.give_up_at) <= now) {
    log.error(
      { mail: mail.id, attempts: mail.attempts },
      'A sign-in mail could not be sent and was given up',
    );
    await deleteMail(db, mail.id);
    return true;
  }
  if (!mail.create_user && !(await hasUser(db, mail.email))) {
    await deleteMail(db, mail.id);
    return true;
  }
  try {
    await mailer.send(await prepareMail(context, mail, now));
  } catch (error) {
    await handleFailure(context, mail, error);
    return true;
  }
  await deleteMail(db, mail.id);
  return true;
}

async function prepareMail({ db, secrets, settings, brand }: AuthContext, mail: ClaimedMail, now: Date) {
  const token = createLinkToken(mail.code_challenge !== null);
  const code = createCode();
  await saveOneTimeToken(db, {
    email: mail.email,
    link_hash: hashToken(token),
    code_hash: hashCode(secrets, mail.email, code),
    code_challenge: mail.code_challenge,
    code_challenge_method: mail.code_challenge_method,
    expires_at: moveTime(now, settings.linkSeconds),
  });
  const query = new URLSearchParams({ token_hash: token, type: 'magiclink', redirect_to: mail.redirect_to });
  const link = `${new URL('/auth/v1/confirm', settings.publicUrl).href}?${query}`;
  return { to: mail.email, ...writeSignInMail({ brand, link, code, linkSeconds: settings.linkSeconds }) };
}

async function handleFailure({ db, log, now }: AuthContext, mail: ClaimedMail, error: unknown) {
  if (isRefusedRecipient(error)) {
    log.warn({ err: error, mail: mail.id }, 'The mail server refused the address; the mail is given up');
    await deleteMail(db, mail.id);
    return;
  }
  const seconds = RETRY_SECONDS[mail.attempts - 1] ?? RETRY_SECONDS.at(-1) ?? 1;
  log.warn(
    { err: error, mail: mail.id, attempts: mail.attempts, seconds },
    'A sign-in mail waits to be retried',
  );
  await postponeMail(db, mail.id, moveTime(now(), seconds));
}
