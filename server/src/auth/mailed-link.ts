// Sign-in by mail: requests a mail within the rate limits, sends the mail in a job, and signs in with its link or code.
import { timingSafeEqual } from 'node:crypto';
import { canonicalKey, chooseLanguage, foldDigits } from '@portal/contract';
import type { Db } from '../db/database.ts';
import type { Mailer } from '../gateways/mailer.ts';
import type { Job } from '../jobs/jobs.sql.ts';
import { JobFailure } from '../jobs/run-job.ts';
import { mailIdOf } from '../mail/mail-log.ts';
import { type AuthContext, DAY_SECONDS, moveTime } from './context.ts';
import {
  addWrongCode,
  claimCodeTries,
  countWrongCodes,
  deleteMailOf,
  deleteMailOfLink,
  deleteOneTimeToken,
  enqueueMail,
  findLastMail,
  hasMailedToken,
  lockMail,
  lockMailOf,
  type OneTimeToken,
  type SignInMail,
  saveOneTimeToken,
  spendLink,
} from './mailed-link.sql.ts';
import { offerExchange } from './pkce.ts';
import { createRandomText, deriveCode, deriveLinkToken, hashCode, hashToken } from './secrets.ts';
import { confirmEmail, type OpenSession, startSession } from './sessions.ts';
import { hasUser } from './users.sql.ts';
import { authError } from './wire.ts';

/**
 * Returns the URL of the confirm page. Sign-in mails link to this page, and the button on the page signs the user in.
 * The caller must have checked `redirect_to` with `resolveRedirect`.
 */
export function writeConfirmLink(
  publicUrl: string,
  { token, type, redirect_to }: { token: string; type: string; redirect_to: string },
): string {
  const query = new URLSearchParams({ token_hash: token, type, redirect_to });
  return `${new URL('/auth/v1/confirm', publicUrl).href}?${query}`;
}

type Order = SignInMail & { email: string };

/**
 * The result of a request for a sign-in mail: `id` is the id of its job. The other results mean that no mail was
 * enqueued. `secondsLeft`: the last mail to the address was too recent; another mail is possible after this
 * time. `over`: the mails to this address, or to all addresses, have reached their limit.
 */
export type MailRequest = { id: string } | { secondsLeft: number } | { over: 'address' | 'all' };

/**
 * Enqueues a sign-in mail for any address, so that the response does not reveal who has an account. The job that sends
 * the mail checks whether a user exists.
 * @throws over_email_send_rate_limit if the last mail to the address was too recent, or the address has reached
 * its limit of mails per hour.
 * @throws over_request_rate_limit if the mails to all addresses have reached their limit.
 */
export async function requestSignInMail(context: AuthContext, order: Order): Promise<void> {
  const request = await enqueueSignInMail(context, context.db, order);
  if ('over' in request && request.over === 'all')
    throw authError(
      429,
      'over_request_rate_limit',
      'Too many people are asking for emails. Please try again in a few minutes.',
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

/** Enqueues the mail with `db`, which may be a transaction. The caller must wake the job worker after the commit. */
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
    const elapsedMs = last === null ? 0 : now.getTime() - new Date(last).getTime();
    return { secondsLeft: Math.max(1, Math.ceil(settings.mailIntervalSeconds - elapsedMs / 1000)) };
  }
  // Only enqueued mails count for the limits.
  await limits.countMail(email);
  return { id };
}

// The job derives the link and the code from its own id, so the queue contains neither. A retry derives the same link
// and code. This is necessary because the mail server may have accepted the mail although the earlier attempt failed.

/** A link stays valid for this time after its own mail, even if a newer mail is sent (R-MAP-32). */
const KEEP_SECONDS = 600;

/**
 * Sends the mail of a job, and returns the last line of the mail server's response. Returns null if no mail was sent:
 * the address is unknown, or the job was deleted or replaced meanwhile.
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
  // A new user is created when the link is used. So an address with an unused link gets a mail too, although it has no
  // user yet.
  const getsMail =
    mail.create_user || (await hasUser(context.db, email)) || (await hasMailedToken(context.db, email, now));
  if (!getsMail) {
    // Stores hashes of random values, which match no link and no code. So the check of a code takes the same steps for
    // every address, and its duration does not reveal which addresses are known.
    const unusable = () => hashToken(createRandomText());
    await saveToken(context, job, { link_hash: unusable(), code_hash: unusable(), mailed: false }, now);
    return null;
  }
  const message = await prepareMail(context, job, now);
  return message && mailer.send({ ...message, id: mailIdOf(job) }, signal);
}

// Returns false and saves nothing if the job was deleted meanwhile. In this case the person may have used the link of
// an earlier attempt, and saving would make this link valid again.
async function saveToken(
  { db, settings }: AuthContext,
  job: Job,
  hashes: Pick<OneTimeToken, 'link_hash' | 'code_hash' | 'mailed'>,
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
  // The id of the job is not enough: after an older backup is restored, the database gives ids a second time.
  const derivedFrom = `${job.id}\n${job.created_at}\n${email}`;
  const token = deriveLinkToken(secrets, derivedFrom, mail.code_challenge !== null);
  const code = deriveCode(secrets, derivedFrom);
  const hashes = { link_hash: hashToken(token), code_hash: hashCode(secrets, email, code), mailed: true };
  if (!(await saveToken(context, job, hashes, now))) return null;
  const { redirect_to } = mail;
  const link = writeConfirmLink(settings.publicUrl, { token, type: 'magiclink', redirect_to });
  // The language may be unknown here: during an upgrade, a process with a newer version may have enqueued this mail.
  const language = chooseLanguage(mail.language, []);
  return { to: email, ...writeMail({ language, link, code }) };
}

// Sign-in with the link or the code of a mail. The first use of a link or a code makes all links and codes of the
// address invalid, and deletes a mail that waits for this address.

const TRIES_A_MAIL = 5;
const WRONG_CODES_A_DAY = 20;

/**
 * Signs in with the token of a mailed link.
 * @throws otp_expired if the token is unknown, used or expired.
 */
export async function verifyLink({ db, now }: AuthContext, token: string): Promise<OpenSession> {
  return db.transaction(async (tx) => {
    const { user_id } = await proveByLink(tx, token, now());
    return startSession(tx, { user_id, method: 'otp' }, now());
  });
}

/**
 * Signs in with a mailed link that was opened in a browser. Returns a session, or a code if the mail was requested with
 * PKCE. Only the client that requested the mail can exchange this code for a session.
 */
export async function openLink(
  { db, now }: AuthContext,
  { token, redirect_to }: { token: string; redirect_to: string },
): Promise<{ session: OpenSession } | { auth_code: string }> {
  return db.transaction(async (tx) => {
    const { spent, user_id } = await proveByLink(tx, token, now());
    if (spent.code_challenge === null) {
      return { session: await startSession(tx, { user_id, method: 'otp' }, now()) };
    }
    return {
      auth_code: await offerExchange(tx, { ...spent, provider: 'email', redirect_to, user_id }, now()),
    };
  });
}

/**
 * Signs in with the six-digit code of a mail. The digits may be of any script (R-MAP-04). There are three limits: five
 * attempts per mail, twenty wrong codes per address and day, and a limit of wrong codes for all addresses together. If
 * several mails are valid, an attempt counts for each mail. Mailed links work even over these limits, so an attacker
 * who guesses codes cannot lock a person out.
 * @throws otp_expired for any code that is not accepted.
 * @throws over_request_rate_limit over the limit for all addresses.
 */
export async function verifyCode(
  { db, secrets, limits, now }: AuthContext,
  { email, code }: { email: string; code: string },
): Promise<OpenSession> {
  if (!(await limits.mayTypeCode())) {
    throw authError(
      429,
      'over_request_rate_limit',
      'Too many wrong codes were typed. Please use the link in the email.',
    );
  }
  const found = await db.transaction(async (tx) => {
    // Locks the job first and the code second. A sign-in with the link has the same order, so the two cannot deadlock.
    await lockMailOf(tx, email);
    const hash = hashCode(secrets, email, foldDigits(canonicalKey(code)));
    const result = await checkCode(tx, { email, hash }, now());
    if (result !== 'right') return result;
    await deleteMailOf(tx, email);
    await deleteOneTimeToken(tx, email);
    const user_id = await confirmEmail(tx, email, now());
    return startSession(tx, { user_id, method: 'otp' }, now());
  });
  // Throws after the transaction, because an error inside it would roll back the count of wrong codes.
  if (typeof found === 'object') return found;
  if (found === 'wrong') await limits.countWrongCode();
  throw authError(403, 'otp_expired', 'Token has expired or is invalid');
}

async function checkCode(
  tx: Db,
  typed: { email: string; hash: string },
  now: Date,
): Promise<'right' | 'wrong' | 'not checked'> {
  const dayStart = moveTime(now, -DAY_SECONDS);
  // This statement locks the row of the address, so attempts for one address run one after the other. Each attempt sees
  // the wrong codes of the attempts before it.
  const hashes = await claimCodeTries(tx, typed.email, TRIES_A_MAIL, now);
  if (hashes.length === 0) return 'not checked';
  if ((await countWrongCodes(tx, typed.email, dayStart, now)) >= WRONG_CODES_A_DAY) return 'not checked';
  // Compares all hashes, so that the duration does not reveal which hash matches.
  const right = hashes.filter((hash) => timingSafeEqual(Buffer.from(hash), Buffer.from(typed.hash)));
  if (right.length > 0) return 'right';
  await addWrongCode(tx, typed.email, dayStart, now);
  return 'wrong';
}

async function proveByLink(tx: Db, token: string, now: Date) {
  const link_hash = hashToken(token);
  await deleteMailOfLink(tx, link_hash);
  const spent = await spendLink(tx, link_hash, now);
  if (spent === null) throw authError(403, 'otp_expired', 'Email link is invalid or has expired');
  return { spent, user_id: await confirmEmail(tx, spent.email, now) };
}
