// Spends a mailed link or code: exactly once, and both together.
import { timingSafeEqual } from 'node:crypto';
import type { Db } from '../../db/database.ts';
import { authError } from '../auth-error.ts';
import { type AuthContext, DAY_SECONDS, moveTime } from '../context.ts';
import { hashCode, hashToken } from '../secrets.ts';
import {
  addWrongCode,
  claimCodeTry,
  countWrongCodes,
  deleteOneTimeToken,
  spendLink,
} from '../stores/one-time-tokens.ts';
import { offerExchange } from './exchange-code.ts';
import { confirmEmail, type OpenSession, startSession } from './start-session.ts';

const TRIES_A_MAIL = 5;
const WRONG_CODES_A_DAY = 20;

/** Signs in with a link's token. @throws otp_expired when it is unknown, used or too old: which, is not told. */
export async function verifyLink({ db, now }: AuthContext, token: string): Promise<OpenSession> {
  return db.transaction(async (tx) => {
    const { user_id } = await proveByLink(tx, token, now());
    return startSession(tx, { user_id, method: 'otp' }, now());
  });
}

/**
 * As `verifyLink`, for a link that was opened in a browser: answers a session, or with PKCE the code that the client
 * which asked for the mail exchanges for one.
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
 * Signs in with the six digits of the newest mail. Five tries a mail and twenty wrong codes an address and day; the
 * link goes on working, so that a stranger's guesses lock nobody out.
 * @throws otp_expired, whatever the fault.
 */
export async function verifyCode(
  { db, secrets, now }: AuthContext,
  { email, code }: { email: string; code: string },
): Promise<OpenSession> {
  const session = await db.transaction(async (tx) => {
    if (!(await isRightCode(tx, { email, hash: hashCode(secrets, email, code) }, now()))) return null;
    await deleteOneTimeToken(tx, email);
    const user_id = await confirmEmail(tx, email, now());
    return startSession(tx, { user_id, method: 'otp' }, now());
  });
  // Thrown out here: the wrong code must stay counted.
  if (session === null) throw authError(403, 'otp_expired', 'Token has expired or is invalid');
  return session;
}

async function isRightCode(tx: Db, typed: { email: string; hash: string }, now: Date): Promise<boolean> {
  const dayStart = moveTime(now, -DAY_SECONDS);
  // The claim locks the row: whoever counts after it sees every wrong code before.
  const claimed = await claimCodeTry(tx, typed.email, TRIES_A_MAIL, now);
  if (claimed === null) return false;
  if ((await countWrongCodes(tx, typed.email, dayStart)) >= WRONG_CODES_A_DAY) return false;
  if (timingSafeEqual(Buffer.from(claimed.code_hash), Buffer.from(typed.hash))) return true;
  await addWrongCode(tx, typed.email, dayStart, now);
  return false;
}

async function proveByLink(tx: Db, token: string, now: Date) {
  const spent = await spendLink(tx, hashToken(token), now);
  if (spent === null) throw authError(403, 'otp_expired', 'Email link is invalid or has expired');
  return { spent, user_id: await confirmEmail(tx, spent.email, now) };
}
