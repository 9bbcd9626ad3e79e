// Sends a sign-in mail of the job queue. The link and the code are derived from the job only when the mail is sent. So the
// queue contains neither, and a retry has the same ones: the mail server may have taken the mail at a try that failed.
import { chooseLanguage } from '@portal/contract';
import type { Db } from '../db/database.ts';
import type { Mailer } from '../gateways/mailer.ts';
import type { Job } from '../jobs/jobs.sql.ts';
import { JobFailure } from '../jobs/run-job.ts';
import { mailIdOf } from '../mail/mail-log.ts';
import { writeConfirmLink } from './confirm-link.ts';
import { type AuthContext, moveTime } from './context.ts';
import { lockMail, type SignInMail } from './mails.sql.ts';
import { hasMailedToken, type OneTimeToken, saveOneTimeToken } from './one-time-tokens.sql.ts';
import { createUnusedToken, deriveCode, deriveLinkToken, hashCode, hashToken } from './secrets.ts';
import { hasUser } from './users.sql.ts';

/** How long after its mail a link stays valid when a newer mail is sent (R-MAP-32). */
const KEEP_SECONDS = 600;

type TokenHashes = Pick<OneTimeToken, 'link_hash' | 'code_hash' | 'mailed'>;

/**
 * Sends the mail of a job; resolves when the mail server has accepted it, with the last line of the server's response.
 * Resolves with null if nobody gets a mail: the address is unknown, or the job was deleted or replaced meanwhile.
 * @throws JobFailure if the mail was requested longer ago than a link is valid.
 * @throws the error of the mail server, so that the job is retried.
 */
export async function sendSignInMail(
  context: AuthContext,
  mailer: Mailer,
  job: Job,
  signal: AbortSignal,
): Promise<string | null> {
  const { key: email, created_at, reason } = job;
  const mail = job.data as SignInMail;
  const now = context.now();
  if (moveTime(new Date(created_at), context.settings.linkSeconds) <= now)
    throw new JobFailure(reason ?? 'The mail could not be sent while its link was good.');
  if (!mail.create_user && !(await isKnown(context.db, email, now))) {
    await saveToken(context, job, createUnusableHashes(), now);
    return null;
  }
  const message = await prepareMail(context, job, now);
  return message && mailer.send({ ...message, id: mailIdOf(job) }, signal);
}

// Returns whether the address gets mails. An address gets mails if it belongs to a user, or if a link was mailed to it
// that was not used yet. Without the second condition, a new user's second request would make that link invalid and
// send no new link.
async function isKnown(db: Db, email: string, now: Date): Promise<boolean> {
  return (await hasUser(db, email)) || (await hasMailedToken(db, email, now));
}

// Returns random hashes that match no link and no code. The hashes are stored for an address that gets no mail. So
// checking a code takes the same steps for each address, and does not reveal which addresses are known.
function createUnusableHashes(): TokenHashes {
  const hash = () => hashToken(createUnusedToken());
  return { link_hash: hash(), code_hash: hash(), mailed: false };
}

// Returns false, and saves nothing, if the job was deleted meanwhile: an earlier try may have sent the same link, and the
// person has used it.
async function saveToken(
  { db, settings }: AuthContext,
  job: Job,
  hashes: TokenHashes,
  now: Date,
): Promise<boolean> {
  const { code_challenge, code_challenge_method } = job.data as SignInMail;
  const expires_at = moveTime(now, settings.linkSeconds);
  const token = { email: job.key, code_challenge, code_challenge_method, ...hashes, expires_at };
  return db.transaction(async (tx) => {
    if (!(await lockMail(tx, job))) return false;
    await saveOneTimeToken(tx, token, moveTime(expires_at, -KEEP_SECONDS));
    return true;
  });
}

async function prepareMail(context: AuthContext, job: Job, now: Date) {
  const { secrets, settings, writeMail } = context;
  const email = job.key;
  const mail = job.data as SignInMail;
  // A backup restores the numbers of jobs too, so a number alone may come a second time.
  const derivedFrom = `${job.id}\n${job.created_at}\n${email}`;
  const token = deriveLinkToken(secrets, derivedFrom, mail.code_challenge !== null);
  const code = deriveCode(secrets, derivedFrom);
  const hashes = { link_hash: hashToken(token), code_hash: hashCode(secrets, email, code), mailed: true };
  if (!(await saveToken(context, job, hashes, now))) return null;
  const link = writeConfirmLink(settings.publicUrl, {
    token,
    type: 'magiclink',
    redirect_to: mail.redirect_to,
  });
  // During an upgrade a newer version may have enqueued this mail, in a language that this version does not have.
  // `chooseLanguage` returns a known language.
  const language = chooseLanguage(mail.language, []);
  return { to: email, ...writeMail({ language, link, code }) };
}
