// Writes the sign-in mail with its link and code, as text and HTML.
import type { Language } from '@portal/contract';
import { translateIn } from '@portal/contract/mailed';
import { escapeHtml } from '../escape-html.ts';
import { frameMail, type MailBrand } from '../mail/mail-frame.ts';

type Settings = { brand: MailBrand; linkSeconds: number };
type Letter = { language: Language; link: string; code: string };

/**
 * Returns the subject, text and HTML of the mail. `link` opens the confirm page; `code` has six digits. Both expire
 * after `linkSeconds`.
 */
export function writeSignInMail({ language, brand, link, code, linkSeconds }: Settings & Letter) {
  const t = translateIn(language);
  const title = t('Sign in to {name}', { name: brand.name });
  const orType = t('Or type this code where you asked for it:');
  const small = [
    t('The link and the code work once, and for {time}.', { time: describeLife(linkSeconds, language) }),
    t('If you did not ask for this email, you can ignore it. Nobody can sign in without it.'),
    brand.support_email === '' ? '' : t('Questions? Write to {email}.', { email: brand.support_email }),
  ];
  const text = [title, `${t('Open this link:')}\n${link}`, `${orType}\n${code}`, ...small];
  return {
    subject: title,
    text: `${text.filter((part) => part !== '').join('\n\n')}\n`,
    html: frameMail({
      language,
      brand,
      title,
      lead: t('Press the button to sign in.'),
      button: t('Sign in'),
      link,
      middle: `<p style="margin:0 0 8px;font-size:16px;line-height:26px">${escapeHtml(orType)}</p>
<p class="code" style="margin:0 0 28px;padding:12px 16px;border-radius:8px;background:#f2f5f4;color:#101714;font-family:ui-monospace,Menlo,Consolas,monospace;font-size:28px;line-height:36px;letter-spacing:4px">${code}</p>
`,
      small,
    }),
  };
}

// Placeholders for the link and the code: private-use characters of Unicode, which no text of the mail contains.
const LINK_PLACE = '\uE000';
const CODE_PLACE = '\uE001';

/**
 * Returns a faster `writeSignInMail`. It composes the mail once for each language, with placeholders. Each mail is then
 * a copy in which the link and the code replace the placeholders.
 */
export function createMailWriter(settings: Settings) {
  const composed = new Map<Language, ReturnType<typeof writeSignInMail>>();
  const places = { link: LINK_PLACE, code: CODE_PLACE };
  return ({ language, link, code }: Letter) => {
    const mail = composed.get(language) ?? writeSignInMail({ language, ...settings, ...places });
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
