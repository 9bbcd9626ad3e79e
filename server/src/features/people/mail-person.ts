// Mails that staff let the portal send to one person: a sign-in mail (R-TRAIL-33), a mail about a code (R-TRAIL-34).
// Also clears the refusal of mails to an address (N-26).
import { AppError } from '../../app-error.ts';
import type { Database, Db } from '../../db/database.ts';
import { isUuid } from '../../db/is-uuid.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { findProductName } from '../products/products.sql.ts';
import { enqueueCodeMail } from './code-mail.ts';
import { requireLockedPerson } from './find-person.ts';
import * as people from './people.sql.ts';
import { countSecondsToCodeMail } from './person-mails.sql.ts';

/**
 * Lets the sign-in service send a sign-in mail. `id` is the id of the job; null with a hosted service. `secondsLeft`: the
 * last mail to the address was too recent. `over`: too many mails were sent to the address, or in total.
 */
export type RequestMail = (
  tx: Db,
  order: { email: string; language: string },
) => Promise<{ id: string | null } | { secondsLeft: number } | { over: 'address' | 'all' }>;

type Order = {
  user_id: string;
  /** The address of the member of the team who asks for the mail. */
  actor: string;
  /** Tag of the language in which the mail is written. */
  language: string;
};

const CODE_MAIL_MINUTES = 10;

/** Sends the person a sign-in mail. @throws AppError user_not_found; too_many_requests. */
export async function sendSignInMail(
  db: Database,
  { user_id, actor, language }: Order,
  { requestMail }: { requestMail: RequestMail },
): Promise<void> {
  await db.transaction(async (tx) => {
    const { id: user, email } = await requireLockedPerson(tx, user_id);
    const request = await requestMail(tx, { email, language });
    if ('secondsLeft' in request) throw tooSoon(request.secondsLeft);
    if ('over' in request) throw tooMany(request.over);
    const detail = { kind: 'sign-in', ...(request.id !== null && { id: request.id }) };
    await createAuditLine(tx, { actor, action: 'mail.queue', user_id: user, detail });
  });
}

/**
 * Sends the person a mail with a link to the product page. @throws AppError user_not_found; product_not_found; not_held
 * if the person holds no code of the product; too_many_requests for a second mail within 10 minutes.
 */
export async function sendCodeMail(
  db: Database,
  { user_id, product_id, actor, language }: Order & { product_id: string },
  { now }: { now: () => Date },
): Promise<void> {
  await db.transaction(async (tx) => {
    const person = await requireLockedPerson(tx, user_id);
    if (!isUuid(product_id) || (await findProductName(tx, product_id)) === null)
      throw new AppError('product_not_found', 'Product not found');
    const { id: user, email: about } = person;
    if (!(await people.holdsCode(tx, user, product_id)))
      throw new AppError('not_held', 'This person holds no code of this product.');
    const limit = { user, product_id, minutes: CODE_MAIL_MINUTES };
    const secondsLeft = await countSecondsToCodeMail(tx, limit);
    if (secondsLeft > 0) throw tooSoon(secondsLeft);
    const mail = { about, user_id: person.user_id, product_id: product_id.toLowerCase(), language };
    await enqueueCodeMail(tx, mail, { actor, now: now() });
  });
}

/** Sends mails to this address again. Writes no audit line if none was refused. @throws AppError user_not_found. */
export async function retryMail(
  db: Database,
  { user_id, actor }: { user_id: string; actor: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    const { id, mail_refused_at, mail_refused_reason } = await requireLockedPerson(tx, user_id);
    if (mail_refused_at === null) return;
    await people.clearMailRefusal(tx, id);
    const detail = { words: mail_refused_reason };
    await createAuditLine(tx, { actor, action: 'mail.allow', user_id: id, detail });
  });
}

function tooSoon(seconds: number): AppError {
  const message = `A mail was sent to this person a moment ago. Please wait ${seconds} seconds.`;
  return new AppError('too_many_requests', message, { retry_after: seconds });
}

function tooMany(over: 'address' | 'all'): AppError {
  if (over === 'address')
    return new AppError(
      'too_many_requests',
      'Too many mails were sent to this address. Please try again later.',
    );
  return new AppError('too_many_requests', 'Too many mails were sent by the portal. Please try again later.');
}
