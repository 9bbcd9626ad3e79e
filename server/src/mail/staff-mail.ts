// Mails to the team: English, as text and in the frame of all mails (R-DAY-65).
import { frameMail, type MailBrand } from './mail-frame.ts';

export type StaffMail = { to: string; subject: string; text: string; html: string };

/**
 * Returns a mail with one link. `linkLabel` stands above the link in the text, `button` on the button. Leaves out empty
 * paragraphs.
 */
export function composeStaffMail({
  to,
  subject,
  brand,
  paragraphs,
  linkLabel,
  button,
  link,
}: {
  to: string;
  subject: string;
  brand: MailBrand;
  paragraphs: readonly string[];
  linkLabel: string;
  button: string;
  link: string;
}): StaffMail {
  const [lead = '', ...small] = paragraphs.filter((text) => text !== '');
  const text = [lead, ...small, `${linkLabel}\n${link}`].join('\n\n');
  const html = frameMail({ language: 'en', brand, title: subject, lead, button, link, small });
  return { to, subject, text: `${text}\n`, html };
}
