// The mail that tells a learner where their code is (R-TRAIL-34). It contains no code, only a link to the product page.
import { chooseLanguage } from '@portal/contract';
import { sayIn } from '@portal/contract/mailed';
import type { Db } from '../../db/database.ts';
import type { Job } from '../../jobs/jobs.sql.ts';
import { JobFailure } from '../../jobs/run-job.ts';
import { frameMail, type MailBrand } from '../../mail/mail-frame.ts';
import { enqueueMailJob } from '../../mail/mail-log.ts';
import { findProductName } from '../products/products.sql.ts';
import { findIdOfEmail } from './people.sql.ts';

/** `about` is the address, `user_id` the public id of the person. `language` is the tag of the mail's language. */
type CodeMail = { about: string; user_id: string; product_id: string; language: string };

/** Enqueues the mail. Call this function in the transaction that has checked that the person holds a code. */
export async function enqueueCodeMail(
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
  if ((await findIdOfEmail(db, to)) !== user_id) throw new JobFailure(ADDRESS_CHANGED);
  const product = (await findProductName(db, product_id)) ?? '';
  // During an upgrade a newer version may have enqueued this mail, in a language that this version does not have.
  const language = chooseLanguage(tag, []);
  const say = sayIn(language);
  const title = say('Your code for {product}', { product });
  const lead = say('Your code is on the page of the product. Sign in with this email address to see it.');
  const link = new URL(`/product/${product_id}`, publicUrl).href;
  const help =
    brand.support_email === '' ? '' : say('Questions? Write to {email}.', { email: brand.support_email });
  const parts = [title, lead, `${say('Open this link:')}\n${link}`, help];
  return {
    to,
    subject: title,
    text: `${parts.filter((part) => part !== '').join('\n\n')}\n`,
    html: frameMail({
      language,
      brand,
      title,
      lead,
      button: say('Open the product page'),
      link,
      small: [help],
    }),
  };
}

/** Why a mail to a person's former address was not sent. */
export const ADDRESS_CHANGED = 'The address was changed before the mail was sent.';
