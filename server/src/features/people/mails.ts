// Mails to people: the mails that staff request for one person (R-TRAIL-33, R-TRAIL-34), and the mail about benefits
// that are ready (R-INV-01). Also lets the portal send mails again to an address that has refused them (N-26).
import { chooseLanguage } from '@portal/contract';
import { translateIn } from '@portal/contract/mailed';
import { AppError } from '../../app-error.ts';
import type { Clock } from '../../day.ts';
import type { Database, Db } from '../../db/database.ts';
import { enqueueJob, type Job } from '../../jobs/jobs.sql.ts';
import { JobFailure } from '../../jobs/run-job.ts';
import { frameMail, type MailBrand } from '../../mail/mail-frame.ts';
import { enqueueMailJob } from '../../mail/mail-log.ts';
import { requireProduct } from '../access/grants.ts';
import { createAuditLine } from '../log/audit.sql.ts';
import { findProductName } from '../products/products.sql.ts';
import * as mails from './mails.sql.ts';
import * as people from './people.sql.ts';
import { requireLockedPerson } from './people.ts';

/**
 * Requests a sign-in mail from the sign-in service. On success, returns `id`, the id of the mail's job; null with a
 * hosted service. If the last mail to the address was too recent, returns `secondsLeft`, the seconds to wait. If
 * a limit is reached, returns `over`: the limit of this address, or of all mails.
 */
export type RequestMail = (
  tx: Db,
  order: { email: string; language: string },
) => Promise<{ id: string | null } | { secondsLeft: number } | { over: 'address' | 'all' }>;

type Order = {
  user_id: string;
  /** The address of the member of the team who requests the mail. */
  actor: string;
  /** Tag of the language in which the mail is written. */
  language: string;
};

const CODE_MAIL_MINUTES = 10;
const TOO_MANY = {
  address: 'Too many emails were sent to this address. Please try again later.',
  all: 'Too many emails were sent by the portal. Please try again later.',
};

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
    if ('over' in request) throw new AppError('too_many_requests', TOO_MANY[request.over]);
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
    const { id: user, email: about, ...person } = await requireLockedPerson(tx, user_id);
    await requireProduct(tx, product_id);
    if (!(await people.holdsCode(tx, user, product_id)))
      throw new AppError('not_held', 'This person holds no code of this product.');
    const limit = { user, product_id, minutes: CODE_MAIL_MINUTES };
    const secondsLeft = await mails.countSecondsToCodeMail(tx, limit);
    if (secondsLeft > 0) throw tooSoon(secondsLeft);
    const data: CodeMail = { about, user_id: person.user_id, product_id: product_id.toLowerCase(), language };
    const job = { kind: 'code-mail' as const, key: `${data.user_id} ${data.product_id}`, data };
    await enqueueMailJob(tx, job, { actor, now: now() });
  });
}

/**
 * Lets the portal send mails to the person again after the mail server has refused the address. Writes an audit line
 * if a mail was refused. @throws AppError user_not_found.
 */
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
  const message = `An email was sent to this person a moment ago. Please wait ${seconds} seconds.`;
  return new AppError('too_many_requests', message, { retry_after: seconds });
}

/** Data of a mail job. `about` is the address, `user_id` the person's public id, `language` the tag of the language. */
type ReadyMail = { about: string; user_id: string; language: string };
type CodeMail = ReadyMail & { product_id: string };

type Mail = { to: string; subject: string; text: string; html: string };

/**
 * Returns a mail as text and as HTML. Both forms contain the link and the support address. `above` has the first
 * paragraphs of the text; the HTML does not use them. `small` is for the HTML only.
 */
function composeMail(
  to: string,
  { above, small, ...texts }: Parameters<typeof frameMail>[0] & { above: readonly string[] },
): Mail {
  const { brand, title: subject, link } = texts;
  const t = translateIn(texts.language);
  const help = brand.support_email && t('Questions? Write to {email}.', { email: brand.support_email });
  const paragraphs = [...above, `${t('Open this link:')}\n${link}`, help].filter((text) => text !== '');
  const html = frameMail({ ...texts, small: [...small, help] });
  return { to, subject, text: `${paragraphs.join('\n\n')}\n`, html };
}

/** Returns the mail of a job that `sendCodeMail` enqueued. @throws JobFailure if the person has another address now. */
export async function prepareCodeMail(
  db: Db,
  { data }: Job,
  { publicUrl, brand }: { publicUrl: string; brand: MailBrand },
): Promise<Mail> {
  const { about: to, user_id, product_id, language: tag } = data as CodeMail;
  if ((await people.findIdOfEmail(db, to)) !== user_id) throw new JobFailure(ADDRESS_CHANGED);
  const product = (await findProductName(db, product_id)) ?? '';
  // `tag` may be a language that this version does not have: during an upgrade, a newer version may have enqueued this
  // mail.
  const language = chooseLanguage(tag, []);
  const t = translateIn(language);
  const title = t('Your code for {product}', { product });
  const lead = t('Your code is on the page of the product. Sign in with this email address to see it.');
  const link = new URL(`/product/${product_id}`, publicUrl).href;
  const button = t('Open the product page');
  return composeMail(to, { above: [title, lead], language, brand, title, lead, button, link, small: [] });
}

/** The reason why a mail to a former address of a person was not sent. */
export const ADDRESS_CHANGED = 'The address was changed before the mail was sent.';

/**
 * `actor` gives the access that the mails announce. `language` is the language of the mails. `import_id` is the upload;
 * null if the access is given in the form of one person. With `isHeld`, the mails are sent only after staff request them.
 */
export type Notice = {
  actor: string;
  language: string;
  import_id: string | null;
  now: Date;
  isHeld?: boolean;
};

/**
 * Enqueues mails to the people who get a product that they do not have yet. Must be called in the transaction that
 * gives the access, after the people were created and before the access is given.
 */
export async function notifyPeople(tx: Db, access: mails.ComingAccess, notice: Notice): Promise<void> {
  const { isHeld = false } = notice;
  const ids = await mails.createNotices(tx, access, { ...notice, isHeld });
  if (!isHeld && ids.length > 0) await mails.enqueueReadyMails(tx, ids, { ...notice, today: access.today });
}

/**
 * Ends the notices of the mail `job`, and enqueues one more mail if others came while it was being sent. Must be called
 * after the job was ended in the same transaction: a notice that is added at that time then finds no job.
 */
export async function endReadyMail(
  tx: Db,
  job: Pick<Job, 'id' | 'data'>,
  end: Parameters<typeof mails.endNotices>[2],
  { dayOf }: Pick<Clock, 'dayOf'>,
): Promise<void> {
  await mails.endNotices(tx, job.id, end);
  const data = job.data as ReadyMail;
  if (!(await mails.hasLateNotices(tx, { user_id: data.user_id, today: dayOf(end.at) }))) return;
  const due = new Date(end.at.getTime() + mails.DELAY_MINUTES * 60_000);
  const key = `${data.user_id} ${due.toISOString()}`;
  await enqueueJob(tx, { kind: 'ready-mail', key, data }, end.at, due);
}

/**
 * Returns the mail of a job that `notifyPeople` enqueued. The mail lists the products that no earlier mail has listed
 * and to which the person has access today. Returns null if there are none. If the person got such a mail in the last
 * 24 hours, enqueues the mail again for later and returns null.
 * @throws JobFailure if the person has another address now.
 */
export async function prepareReadyMail(
  db: Database,
  { id, data }: Pick<Job, 'id' | 'data'>,
  { publicUrl, brand, now, dayOf }: Clock & { publicUrl: string; brand: MailBrand },
): Promise<Mail | null> {
  const { about: to, user_id, language: tag } = data as ReadyMail;
  const at = now();
  const { person, names } = await db.transaction(async (tx) => {
    // Two mails to the same person may be prepared at the same time, for access from different days. With this lock,
    // the second mail waits for the first.
    const locked =
      (await people.findIdOfEmail(tx, to)) === user_id ? await people.lockPerson(tx, user_id) : null;
    if (locked === null) throw new JobFailure(ADDRESS_CHANGED);
    const mine = { user: locked.id, mail_id: id };
    const next = await mails.findNextReadyMail(tx, { ...mine, now: at });
    if (next === null)
      return { person: locked, names: await mails.takeNotices(tx, { ...mine, today: dayOf(at) }) };
    const key = `${user_id} ${next.toISOString()}`;
    await enqueueJob(tx, { kind: 'ready-mail', key, data: data as ReadyMail }, at, next);
    return { person: locked, names: [] };
  });
  if (names.length === 0) return null;
  const language = chooseLanguage(tag, []);
  const t = translateIn(language);
  const title = t('Your benefits are ready');
  const greeting = person.name ? t('Hello {name},', { name: person.name }) : t('Hello,');
  const lead = t('These benefits of {provider} are yours:', { provider: brand.name });
  const how = t('Sign in with this email address to take them.');
  return composeMail(to, {
    above: [greeting, lead, names.map((name) => `- ${name}`).join('\n'), how],
    language,
    brand,
    title,
    lead: `${greeting} ${lead}`,
    items: names,
    button: t('Open the portal'),
    link: new URL(`/?email=${encodeURIComponent(to)}`, publicUrl).href,
    small: [how],
  });
}
