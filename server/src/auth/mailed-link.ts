// Sign-in by mail: the request of a mail within the rate limits, the job that sends the mail, and the sign-in with its link
// or code.

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
import { createUnusedToken, deriveCode, deriveLinkToken, hashCode, hashToken } from './secrets.ts';
import { confirmEmail, type OpenSession, startSession } from './sessions.ts';
import { hasUser } from './users.sql.ts';
import { authError } from './wire.ts';

/**
 * Returns the URL of the confirm page. Sign-in mails link to this page, and the button on the page signs the user in. The
 * caller must have checked `redirect_to` with `resolveRedirect`.
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

// The job that sends the mail. The link and the code are derived from the job only when the mail is sent. So the
// queue contains neither, and a retry has the same ones: the mail server may have taken the mail at a try that failed.

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

// The sign-in with the link or the code of a mail. After one of them was used, no link and code mailed to this address
// before works again, also if one of the mails is tried again.

const TRIES_A_MAIL = 5;
const WRONG_CODES_A_DAY = 20;

/**
 * Signs in with the token of a mailed link. @throws otp_expired if the token is unknown, used or expired. The caller
 * cannot distinguish the three cases.
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
 * Signs in with the six-digit code of a mail; its digits may be of any script (R-MAP-04). There are three limits: five
 * attempts per mail, twenty wrong codes per address and day, and wrong codes for all addresses together. If several mails
 * are valid, one attempt counts for each. Over a limit, the mailed link still works. So
 * an attacker who guesses codes cannot lock a person out.
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
    // Locked first, as `deleteMailOfLink` says.
    await lockMailOf(tx, email);
    const result = await checkCode(
      tx,
      { email, hash: hashCode(secrets, email, foldDigits(canonicalKey(code))) },
      now(),
    );
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
  // Compares all of them, so that the time does not depend on which one is right.
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
