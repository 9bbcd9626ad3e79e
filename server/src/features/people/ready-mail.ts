// The mail that tells a person which benefits are ready (R-INV-01). It contains no code and no token, only the address of
// the portal.
import { chooseLanguage } from '@portal/contract';
import { sayIn } from '@portal/contract/mailed';
import type { Database, Db } from '../../db/database.ts';
import { enqueueJob, type Job, placeOf } from '../../jobs/jobs.sql.ts';
import { JobFailure } from '../../jobs/run-job.ts';
import { frameMail, type MailBrand } from '../../mail/mail-frame.ts';
import { ADDRESS_CHANGED } from './code-mail.ts';
import { findIdOfEmail, lockPerson } from './people.sql.ts';
import {
  type ComingAccess,
  createNotices,
  enqueueReadyMails,
  findNextReadyMail,
  takeNotices,
} from './ready-notices.sql.ts';

/** `about` is the address, `user_id` the public id of the person. `language` is the tag of the mail's language. */
type ReadyMail = { about: string; user_id: string; language: string };

// Staff who upload a wrong file have this long to take it back before anybody is told.
const WAITS_MINUTES = 10;

/** Who lets the portal tell people, and in what language. `import_id` is the upload; null for the form of one person. */
export type Telling = {
  actor: string;
  language: string;
  import_id: string | null;
  now: Date;
};

/**
 * Lets the portal tell those of the people who get a product that they do not have. Must be called in the transaction
 * that gives the access, before it does so, when the people exist.
 */
export async function tellPeople(tx: Db, access: ComingAccess, telling: Telling): Promise<void> {
  const ids = await createNotices(tx, access, telling);
  if (ids.length === 0) return;
  const { actor, now } = telling;
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
 * Returns the mail of a job that `tellPeople` enqueued. It names all products of which the person was not told yet and to
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
    const locked = (await findIdOfEmail(tx, to)) === user_id ? await lockPerson(tx, user_id) : null;
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
  const say = sayIn(language);
  const title = say('Your benefits are ready');
  const greeting = person.name ? say('Hello {name},', { name: person.name }) : say('Hello,');
  const lead = say('These benefits of {provider} are yours:', { provider: brand.name });
  const how = say('Sign in with this email address to take them.');
  const link = new URL(`/?email=${encodeURIComponent(to)}`, publicUrl).href;
  const help =
    brand.support_email === '' ? '' : say('Questions? Write to {email}.', { email: brand.support_email });
  const list = names.map((name) => `- ${name}`).join('\n');
  const parts = [greeting, lead, list, how, `${say('Open this link:')}\n${link}`, help];
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
      button: say('Open the portal'),
      link,
      small: [how, help],
    }),
  };
}
