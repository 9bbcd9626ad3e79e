// Writes the sign-in mail with its link and code, as text and HTML.
import type { Language } from '@portal/contract';
import { type Translate, translateIn } from '@portal/contract/mailed';
import { escapeHtml } from '../escape-html.ts';
import { frameMail, type MailBrand } from '../mail/mail-frame.ts';

/**
 * Returns the mail. `link` opens the confirm page; `code` has six digits. The link and the code expire after
 * `linkSeconds`.
 */
export function writeSignInMail({
  language,
  brand,
  link,
  code,
  linkSeconds,
}: {
  language: Language;
  brand: MailBrand;
  link: string;
  code: string;
  linkSeconds: number;
}): { subject: string; text: string; html: string } {
  const t = translateIn(language);
  const words = {
    title: t('Sign in to {name}', { name: brand.name }),
    orType: t('Or type this code where you asked for it:'),
    life: t('The link and the code work once, and for {time}.', {
      time: describeLife(linkSeconds, language),
    }),
    ignore: t('If you did not ask for this email, you can ignore it. Nobody can sign in without it.'),
    help: brand.support_email === '' ? '' : t('Questions? Write to {email}.', { email: brand.support_email }),
  };
  const text = [
    words.title,
    `${t('Open this link:')}\n${link}`,
    `${words.orType}\n${code}`,
    words.life,
    words.ignore,
    words.help,
  ];
  return {
    subject: words.title,
    text: `${text.filter((part) => part !== '').join('\n\n')}\n`,
    html: writeHtml(words, { language, t, brand, link, code }),
  };
}

// Placeholders for the link and the code. The placeholders are private-use characters of Unicode, so no text of a brand
// contains them.
const LINK_PLACE = '\uE000';
const CODE_PLACE = '\uE001';

/**
 * Returns a faster `writeSignInMail`. The returned function composes the mail of each language once. For each mail, the
 * function only replaces the placeholders with the link and the code.
 */
export function createMailWriter({ brand, linkSeconds }: { brand: MailBrand; linkSeconds: number }) {
  const composed = new Map<Language, ReturnType<typeof writeSignInMail>>();
  const places = { link: LINK_PLACE, code: CODE_PLACE };
  return ({ language, link, code }: { language: Language; link: string; code: string }) => {
    const mail = composed.get(language) ?? writeSignInMail({ language, brand, linkSeconds, ...places });
    composed.set(language, mail);
    const fill = (text: string, url: string) =>
      text.replaceAll(LINK_PLACE, () => url).replaceAll(CODE_PLACE, code);
    return { ...mail, text: fill(mail.text, link), html: fill(mail.html, escapeHtml(link)) };
  };
}

/** Returns a duration in words: '1 hour', '30 minutes', '1 day'. */
export function describeLife(seconds: number, language: Language): string {
  const units = [
    { unit: 'day', length: 86_400 },
    { unit: 'hour', length: 3600 },
    { unit: 'minute', length: 60 },
  ];
  const whole = units.find(({ length }) => seconds >= length && seconds % length === 0);
  const { unit, length } = whole ?? { unit: 'second', length: 1 };
  const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' });
  return format.format(seconds / length);
}

type Words = { title: string; orType: string; life: string; ignore: string; help: string };
type Mailing = { language: Language; t: Translate; brand: MailBrand; link: string; code: string };

function writeHtml(words: Words, { language, t, brand, link, code }: Mailing): string {
  return frameMail({
    language,
    brand,
    title: words.title,
    lead: t('Press the button to sign in.'),
    button: t('Sign in'),
    link,
    middle: `<p style="margin:0 0 8px;font-size:16px;line-height:26px">${escapeHtml(words.orType)}</p>
<p class="code" style="margin:0 0 28px;padding:12px 16px;border-radius:8px;background:#f2f5f4;color:#101714;font-family:ui-monospace,Menlo,Consolas,monospace;font-size:28px;line-height:36px;letter-spacing:4px">${code}</p>
`,
    small: [words.life, words.ignore, words.help],
  });
}
