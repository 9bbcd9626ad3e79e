// Signs in with the link or the code of a sign-in mail. After one of them was used, no link and code mailed to this
// address before works again,
// also if one of the mails is tried again.
import { timingSafeEqual } from 'node:crypto';
import { canonicalKey, foldDigits } from '@portal/contract';
import type { Db } from '../db/database.ts';
import { authError } from './auth-error.ts';
import { type AuthContext, DAY_SECONDS, moveTime } from './context.ts';
import { offerExchange } from './exchange-code.ts';
import { deleteMailOf, deleteMailOfLink, lockMailOf } from './mails.sql.ts';
import {
  addWrongCode,
  claimCodeTries,
  countWrongCodes,
  deleteOneTimeToken,
  spendLink,
} from './one-time-tokens.sql.ts';
import { hashCode, hashToken } from './secrets.ts';
import { confirmEmail, type OpenSession, startSession } from './start-session.ts';

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
