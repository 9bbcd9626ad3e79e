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
 * Signs in with the six digits of the newest mail. Five tries a mail, twenty wrong codes an address and day, and a
 * number of wrong ones for all addresses together; the link goes on working, so that a stranger's guesses lock nobody out.
 * @throws otp_expired, whatever the fault; over_request_rate_limit past the wrong ones of all together.
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
    const judged = await judgeCode(tx, { email, hash: hashCode(secrets, email, code) }, now());
    if (judged !== 'right') return judged;
    await deleteOneTimeToken(tx, email);
    const user_id = await confirmEmail(tx, email, now());
    return startSession(tx, { user_id, method: 'otp' }, now());
  });
  // Thrown out here: the wrong code must stay counted.
  if (typeof found === 'object') return found;
  if (found === 'wrong') await limits.countWrongCode();
  throw authError(403, 'otp_expired', 'Token has expired or is invalid');
}

async function judgeCode(
  tx: Db,
  typed: { email: string; hash: string },
  now: Date,
): Promise<'right' | 'wrong' | 'not looked at'> {
  const dayStart = moveTime(now, -DAY_SECONDS);
  // The claim locks the row: whoever counts after it sees every wrong code before.
  const claimed = await claimCodeTry(tx, typed.email, TRIES_A_MAIL, now);
  if (claimed === null) return 'not looked at';
  if ((await countWrongCodes(tx, typed.email, dayStart)) >= WRONG_CODES_A_DAY) return 'not looked at';
  if (timingSafeEqual(Buffer.from(claimed.code_hash), Buffer.from(typed.hash))) return 'right';
  await addWrongCode(tx, typed.email, dayStart, now);
  return 'wrong';
}

async function proveByLink(tx: Db, token: string, now: Date) {
  const spent = await spendLink(tx, hashToken(token), now);
  if (spent === null) throw authError(403, 'otp_expired', 'Email link is invalid or has expired');
  return { spent, user_id: await confirmEmail(tx, spent.email, now) };
}
