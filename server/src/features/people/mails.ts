// Mails to people: those that staff let the portal send to one person (R-TRAIL-33, R-TRAIL-34), and the mail about benefits
// that are ready (R-INV-01). Also clears the refusal of mails to an address (N-26).
import { chooseLanguage } from '@portal/contract';
import { translateIn } from '@portal/contract/mailed';
import { AppError } from '../../app-error.ts';
import type { Database, Db } from '../../db/database.ts';
import { enqueueJob, type Job, placeOf } from '../../jobs/jobs.sql.ts';
import { JobFailure } from '../../jobs/run-job.ts';
import { frameMail, type MailBrand } from '../../mail/mail-frame.ts';
import { enqueueMailJob } from '../../mail/mail-log.ts';
import { requireProduct } from '../access/grants.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { findProductName } from '../products/products.sql.ts';
import {
  type ComingAccess,
  countSecondsToCodeMail,
  createNotices,
  enqueueReadyMails,
  findNextReadyMail,
  takeNotices,
} from './mails.sql.ts';
import * as people from './people.sql.ts';
import { requireLockedPerson } from './people.ts';

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
    await requireProduct(tx, product_id);
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

/** `about` is the address, `user_id` the public id of the person. `language` is the tag of the mail's language. */
type CodeMail = { about: string; user_id: string; product_id: string; language: string };

/** Enqueues the mail. Call this function in the transaction that has checked that the person holds a code. */
async function enqueueCodeMail(
  tx: Db,
  mail: CodeMail,
  { actor, now }: { actor: string; now: Date },
): Promise<void> {
  const key = `${mail.user_id} ${mail.product_id}`;
  await enqueueMailJob(tx, { kind: 'code-mail', key, data: mail }, { actor, now });
}

/**
 * Returns the mail of a job that `enqueueCodeMail` enqueued. @throws JobFailure if the person has another address
 * now.
 */
export async function prepareCodeMail(
  db: Db,
  { data }: Job,
  { publicUrl, brand }: { publicUrl: string; brand: MailBrand },
): Promise<{ to: string; subject: string; text: string; html: string }> {
  const { about: to, user_id, product_id, language: tag } = data as CodeMail;
  if ((await people.findIdOfEmail(db, to)) !== user_id) throw new JobFailure(ADDRESS_CHANGED);
  const product = (await findProductName(db, product_id)) ?? '';
  // During an upgrade a newer version may have enqueued this mail, in a language that this version does not have.
  const language = chooseLanguage(tag, []);
  const t = translateIn(language);
  const title = t('Your code for {product}', { product });
  const lead = t('Your code is on the page of the product. Sign in with this email address to see it.');
  const link = new URL(`/product/${product_id}`, publicUrl).href;
  const help =
    brand.support_email === '' ? '' : t('Questions? Write to {email}.', { email: brand.support_email });
  const parts = [title, lead, `${t('Open this link:')}\n${link}`, help];
  return {
    to,
    subject: title,
    text: `${parts.filter((part) => part !== '').join('\n\n')}\n`,
    html: frameMail({
      language,
      brand,
      title,
      lead,
      button: t('Open the product page'),
      link,
      small: [help],
    }),
  };
}

/** Why a mail to a person's former address was not sent. */
export const ADDRESS_CHANGED = 'The address was changed before the mail was sent.';

/** `about` is the address, `user_id` the public id of the person. `language` is the tag of the mail's language. */
type ReadyMail = { about: string; user_id: string; language: string };

// Staff who upload a wrong file have this long to take it back before anybody is told.
const WAITS_MINUTES = 10;

/** Who lets the portal tell people, and in what language. `import_id` is the upload; null for the form of one person. */
export type Notice = {
  actor: string;
  language: string;
  import_id: string | null;
  now: Date;
};

/**
 * Lets the portal tell those of the people who get a product that they do not have. Must be called in the transaction
 * that gives the access, before it does so, when the people exist.
 */
export async function notifyPeople(tx: Db, access: ComingAccess, notice: Notice): Promise<void> {
  const ids = await createNotices(tx, access, notice);
  if (ids.length === 0) return;
  const { actor, now } = notice;
  const place = placeOf('ready-mail');
  await enqueueReadyMails(tx, ids, { actor, now, minutes: WAITS_MINUTES, today: access.today, place });
}

type MailTools = {
  publicUrl: string;
  brand: MailBrand;
  now: () => Date;
  dayOf: (at: Date) => string;
};

/**
 * Returns the mail of a job that `notifyPeople` enqueued. It names all products of which the person was not told yet and to
 * which the person has access today. Returns null if there are none, or if the person was mailed in the last 24 hours;
 * then the mail is enqueued again for later.
 * @throws JobFailure if the person has another address now.
 */
export async function prepareReadyMail(
  db: Database,
  { id, data }: Pick<Job, 'id' | 'data'>,
  { publicUrl, brand, now, dayOf }: MailTools,
): Promise<{ to: string; subject: string; text: string; html: string } | null> {
  const { about: to, user_id, language: tag } = data as ReadyMail;
  const at = now();
  const { person, names } = await db.transaction(async (tx) => {
    // Two mails to the same person, of uploads on different days, are made one after the other.
    const locked =
      (await people.findIdOfEmail(tx, to)) === user_id ? await people.lockPerson(tx, user_id) : null;
    if (locked === null) throw new JobFailure(ADDRESS_CHANGED);
    const mine = { user: locked.id, mail_id: id };
    const next = await findNextReadyMail(tx, { ...mine, now: at });
    if (next === null) return { person: locked, names: await takeNotices(tx, { ...mine, today: dayOf(at) }) };
    const later = {
      kind: 'ready-mail',
      key: `${user_id} ${next.toISOString()}`,
      data: data as ReadyMail,
    } as const;
    await enqueueJob(tx, later, at, next);
    return { person: locked, names: [] };
  });
  if (names.length === 0) return null;
  const language = chooseLanguage(tag, []);
  const t = translateIn(language);
  const title = t('Your benefits are ready');
  const greeting = person.name ? t('Hello {name},', { name: person.name }) : t('Hello,');
  const lead = t('These benefits of {provider} are yours:', { provider: brand.name });
  const how = t('Sign in with this email address to take them.');
  const link = new URL(`/?email=${encodeURIComponent(to)}`, publicUrl).href;
  const help =
    brand.support_email === '' ? '' : t('Questions? Write to {email}.', { email: brand.support_email });
  const list = names.map((name) => `- ${name}`).join('\n');
  const parts = [greeting, lead, list, how, `${t('Open this link:')}\n${link}`, help];
  return {
    to,
    subject: title,
    text: `${parts.filter((part) => part !== '').join('\n\n')}\n`,
    html: frameMail({
      language,
      brand,
      title,
      lead: `${greeting} ${lead}`,
      items: names,
      button: t('Open the portal'),
      link,
      small: [how, help],
    }),
  };
}
