// Sends the mail that waits longest; link and code are made at that moment, so that none lies in the queue.
import { chooseLanguage } from '@portal/contract';
import type { Db } from '../../db/database.ts';
import { isRefusedRecipient, type Mailer } from '../../gateways/mailer.ts';
import { writeConfirmLink } from '../confirm-link.ts';
import { type AuthContext, moveTime } from '../context.ts';
import { writeSignInMail } from '../mail/sign-in-mail.ts';
import { createCode, createLinkToken, hashCode, hashToken } from '../secrets.ts';
import { type ClaimedMail, claimMail, deleteMail, postponeMail } from '../stores/mails.ts';
import { hasMailedToken, type OneTimeToken, saveOneTimeToken } from '../stores/one-time-tokens.ts';
import { hasUser } from '../stores/users.ts';

// For so long no other process takes the mail. Its sending is broken off well before, so that it is never sent twice at once.
const LEASE_SECONDS = 90;
const SEND_SECONDS = 60;
const RETRY_SECONDS = [1, 5, 30, 120, 300];

type TokenHashes = Pick<OneTimeToken, 'link_hash' | 'code_hash' | 'mailed'>;

/**
 * Answers false when no mail is due. The mail leaves the queue only after the mail server took it; otherwise it is
 * tried again, later and later, until its link would have died of age.
 */
export async function sendNextMail(context: AuthContext, mailer: Mailer): Promise<boolean> {
  const { db, log } = context;
  const now = context.now();
  // It runs from before the lease does: the claim itself may be slow.
  const deadline = AbortSignal.timeout(SEND_SECONDS * 1000);
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
  if (!mail.create_user && !(await isKnown(db, mail.email, now))) {
    await saveToken(context, mail, hashNothing(), now);
    await deleteMail(db, mail.id);
    return true;
  }
  try {
    await mailer.send(await prepareMail(context, mail, now), deadline);
  } catch (error) {
    await handleFailure(context, mail, error);
    return true;
  }
  await deleteMail(db, mail.id);
  return true;
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
  { email, code_challenge, code_challenge_method }: ClaimedMail,
  hashes: TokenHashes,
  now: Date,
): Promise<void> {
  const expires_at = moveTime(now, settings.linkSeconds);
  await saveOneTimeToken(db, { email, code_challenge, code_challenge_method, ...hashes, expires_at });
}

async function prepareMail(context: AuthContext, mail: ClaimedMail, now: Date) {
  const { secrets, settings, brand } = context;
  const token = createLinkToken(mail.code_challenge !== null);
  const code = createCode();
  const hashes = {
    link_hash: hashToken(token),
    code_hash: hashCode(secrets, mail.email, code),
    mailed: true,
  };
  await saveToken(context, mail, hashes, now);
  const link = writeConfirmLink(settings.publicUrl, {
    token,
    type: 'magiclink',
    redirect_to: mail.redirect_to,
  });
  // A newer version, running beside this one, may have more languages.
  const language = chooseLanguage(mail.language, []);
  const { linkSeconds } = settings;
  return { to: mail.email, ...writeSignInMail({ language, brand, link, code, linkSeconds }) };
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
  await postponeMail(db, mail, moveTime(now(), seconds));
}
