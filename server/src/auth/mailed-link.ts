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
    const elapsedMs = last === null ? 0 : now.getTime() - new Date(last).getTime();
    return { secondsLeft: Math.max(1, Math.ceil(settings.mailIntervalSeconds - elapsedMs / 1000)) };
  }
  // Only a mail that was enqueued counts against the address.
  await limits.countMail(email);
  return { id };
}

// The link and the code of a mail are derived from its job when the mail is sent. So the queue contains neither, and a
// retry sends the same ones: the mail server may have accepted the mail although the earlier attempt failed.

/** After a newer mail is sent, a link stays valid until this time after its own mail (R-MAP-32). */
const KEEP_SECONDS = 600;

/**
 * Sends the mail of a job. When the mail server has accepted the mail, resolves with the last line of its response.
 * Resolves with null if no mail is sent: the address is unknown, or the job was deleted or replaced meanwhile.
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
  // An address also gets a mail if it has an unused link. Otherwise the second request of a new user would make the
  // first link invalid and send no new one.
  const getsMail =
    mail.create_user || (await hasUser(context.db, email)) || (await hasMailedToken(context.db, email, now));
  if (!getsMail) {
    // Stores hashes that match no link and no code. So the check of a code takes the same steps for each address, and
    // does not reveal which addresses are known.
    const unusable = () => hashToken(createRandomText());
    await saveToken(context, job, { link_hash: unusable(), code_hash: unusable(), mailed: false }, now);
    return null;
  }
  const message = await prepareMail(context, job, now);
  return message && mailer.send({ ...message, id: mailIdOf(job) }, signal);
}

// Returns false and saves nothing if the job was deleted meanwhile: an earlier attempt may have sent the same link, and
// the person may have used it.
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
  // The job's id alone is not unique: after a backup was restored, ids of later jobs are given again.
  const derivedFrom = `${job.id}\n${job.created_at}\n${email}`;
  const token = deriveLinkToken(secrets, derivedFrom, mail.code_challenge !== null);
  const code = deriveCode(secrets, derivedFrom);
  const hashes = { link_hash: hashToken(token), code_hash: hashCode(secrets, email, code), mailed: true };
  if (!(await saveToken(context, job, hashes, now))) return null;
  const { redirect_to } = mail;
  const link = writeConfirmLink(settings.publicUrl, { token, type: 'magiclink', redirect_to });
  // During an upgrade, a newer version may have enqueued this mail in a language that this version does not have.
  const language = chooseLanguage(mail.language, []);
  return { to: email, ...writeMail({ language, link, code }) };
}

// Sign-in with the link or the code of a mail. When one of them is used, all earlier links and codes of the address
// become invalid, and a waiting mail of the address is not sent.

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
 * Signs in with a mailed link that was opened in a browser, and returns a session. If the mail was requested with PKCE,
 * returns a code instead. Only the client that requested the mail can exchange the code for a session.
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
 * attempts per mail, twenty wrong codes per address and day, and wrong codes for all addresses together. If several
 * mails are valid, an attempt counts for each of them. Over a limit, the mailed link still works, so an attacker who
 * guesses codes cannot lock a person out.
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
      'Too many wrong codes were typed. Please use the link in the mail.',
    );
  }
  const found = await db.transaction(async (tx) => {
    // The job is locked before the code, in the same order as by a sign-in with the link.
    await lockMailOf(tx, email);
    const hash = hashCode(secrets, email, foldDigits(canonicalKey(code)));
    const result = await checkCode(tx, { email, hash }, now());
    if (result !== 'right') return result;
    await deleteMailOf(tx, email);
    await deleteOneTimeToken(tx, email);
    const user_id = await confirmEmail(tx, email, now());
    return startSession(tx, { user_id, method: 'otp' }, now());
  });
  // The error is thrown after the transaction. An error inside the transaction would undo the count of wrong codes.
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
  // Attempts for one address run one after the other, because this statement locks its row. So each attempt counts the
  // wrong codes of the attempts before it.
  const hashes = await claimCodeTries(tx, typed.email, TRIES_A_MAIL, now);
  if (hashes.length === 0) return 'not checked';
  if ((await countWrongCodes(tx, typed.email, dayStart, now)) >= WRONG_CODES_A_DAY) return 'not checked';
  // Compares all hashes, so that the time does not depend on which one is right.
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
