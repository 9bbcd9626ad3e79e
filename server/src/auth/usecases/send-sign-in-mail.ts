// Sends a sign-in mail of the job queue; link and code are made at that moment, so that none lies in the queue.
import { chooseLanguage } from '@portal/contract';
import type { Db } from '../../db/database.ts';
import type { Mailer } from '../../gateways/mailer.ts';
import { JobFailure } from '../../jobs/run-job.ts';
import type { Job } from '../../jobs/stores/jobs.ts';
import { writeConfirmLink } from '../confirm-link.ts';
import { type AuthContext, moveTime } from '../context.ts';
import { createCode, createLinkToken, hashCode, hashToken } from '../secrets.ts';
import type { SignInMail } from '../stores/mails.ts';
import { hasMailedToken, type OneTimeToken, saveOneTimeToken } from '../stores/one-time-tokens.ts';
import { hasUser } from '../stores/users.ts';

type TokenHashes = Pick<OneTimeToken, 'link_hash' | 'code_hash' | 'mailed'>;

/**
 * Returns when the mail server took the mail.
 * @throws JobFailure when a link made at the request would have expired, and what kept the mail from being accepted.
 */
export async function sendSignInMail(
  context: AuthContext,
  mailer: Mailer,
  { key: email, data, created_at, reason }: Job,
  signal: AbortSignal,
): Promise<void> {
  const mail = data as SignInMail;
  const now = context.now();
  if (moveTime(new Date(created_at), context.settings.linkSeconds) <= now)
    throw new JobFailure(reason ?? 'The mail could not be sent while its link was good.');
  if (!mail.create_user && !(await isKnown(context.db, email, now)))
    return saveToken(context, email, mail, hashNothing(), now);
  const message = await prepareMail(context, email, mail, now);
  await mailer.send(message, signal);
}

// Who was mailed a first link is known too: that link must not be replaced without another mail.
async function isKnown(db: Db, email: string, now: Date): Promise<boolean> {
  return (await hasUser(db, email)) || (await hasMailedToken(db, email, now));
}

// A wrong code must cost an address that gets no mail the same work as one that does (hashes of what nobody holds).
function hashNothing(): TokenHashes {
  const hash = () => hashToken(createLinkToken(false));
  return { link_hash: hash(), code_hash: hash(), mailed: false };
}

async function saveToken(
  { db, settings }: AuthContext,
  email: string,
  { code_challenge, code_challenge_method }: SignInMail,
  hashes: TokenHashes,
  now: Date,
): Promise<void> {
  const expires_at = moveTime(now, settings.linkSeconds);
  await saveOneTimeToken(db, { email, code_challenge, code_challenge_method, ...hashes, expires_at });
}

async function prepareMail(context: AuthContext, email: string, mail: SignInMail, now: Date) {
  const { secrets, settings, writeMail } = context;
  const token = createLinkToken(mail.code_challenge !== null);
  const code = createCode();
  const hashes = { link_hash: hashToken(token), code_hash: hashCode(secrets, email, code), mailed: true };
  await saveToken(context, email, mail, hashes, now);
  const link = writeConfirmLink(settings.publicUrl, {
    token,
    type: 'magiclink',
    redirect_to: mail.redirect_to,
  });
  // A newer version, running beside this one, may have more languages.
  const language = chooseLanguage(mail.language, []);
  return { to: email, ...writeMail({ language, link, code }) };
}
