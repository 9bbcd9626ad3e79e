// Writes the sign-in mail with its link and code, as text and HTML.
import type { Language } from '@portal/contract';
import { type Say, sayIn } from '@portal/contract/mailed';
import { escapeHtml } from '../../escape-html.ts';
import type { AuthBrand } from '../settings.ts';
import { chooseMailColours } from './accent.ts';

const FONT = "-apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

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
  brand: AuthBrand;
  link: string;
  code: string;
  linkSeconds: number;
}): { subject: string; text: string; html: string } {
  const say = sayIn(language);
  const words = {
    title: say('Sign in to {name}', { name: brand.name }),
    orType: say('Or type this code where you asked for it:'),
    life: say('The link and the code work once, and for {time}.', {
      time: describeLife(linkSeconds, language),
    }),
    ignore: say('If you did not ask for this email, you can ignore it. Nobody can sign in without it.'),
    help:
      brand.support_email === '' ? '' : say('Questions? Write to {email}.', { email: brand.support_email }),
  };
  const text = [
    words.title,
    `${say('Open this link:')}\n${link}`,
    `${words.orType}\n${code}`,
    words.life,
    words.ignore,
    words.help,
  ];
  return {
    subject: words.title,
    text: `${text.filter((part) => part !== '').join('\n\n')}\n`,
    html: writeHtml(words, { language, say, brand, link, code }),
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
export function createMailWriter({ brand, linkSeconds }: { brand: AuthBrand; linkSeconds: number }) {
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
type Mailing = { language: Language; say: Say; brand: AuthBrand; link: string; code: string };

// Some mail clients remove the style element, so the colours are inline. Clients that keep the element also get a dark
// theme.
function writeHtml(words: Words, { language, say, brand, link, code }: Mailing): string {
  const { fill, onFill } = chooseMailColours(brand.accent);
  const small = 'margin:0 0 12px;font-size:14px;line-height:22px;color:#444b48';
  const help = words.help === '' ? '' : `<p class="quiet" style="${small}">${escapeHtml(words.help)}</p>`;
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(words.title)}</title>
<style>
:root { color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  .page { background: #0d1110 !important; }
  .card { background: #161b19 !important; border-color: #2e3432 !important; color: #eef2f0 !important; }
  .quiet { color: #b4bbb8 !important; }
  .code { background: #232927 !important; color: #eef2f0 !important; }
}
</style>
</head>
<body class="page" style="margin:0;padding:24px 12px;background:#f8faf9;font-family:${FONT}">
<div class="card" style="max-width:440px;margin:0 auto;padding:32px;background:#ffffff;border:1px solid #d3d9d6;border-radius:16px;color:#101714">
<p style="margin:0 0 24px;font-size:16px;font-weight:600">${escapeHtml(brand.name)}</p>
<h1 style="margin:0 0 12px;font-size:22px;line-height:28px;font-weight:600">${escapeHtml(words.title)}</h1>
<p style="margin:0 0 20px;font-size:16px;line-height:26px">${escapeHtml(say('Press the button to sign in.'))}</p>
<p style="margin:0 0 28px"><a href="${escapeHtml(link)}" style="display:inline-block;padding:13px 24px;border-radius:8px;background:${fill};color:${onFill};font-size:16px;line-height:22px;font-weight:600;text-decoration:none">${escapeHtml(say('Sign in'))}</a></p>
<p style="margin:0 0 8px;font-size:16px;line-height:26px">${escapeHtml(words.orType)}</p>
<p class="code" style="margin:0 0 28px;padding:12px 16px;border-radius:8px;background:#f2f5f4;color:#101714;font-family:ui-monospace,Menlo,Consolas,monospace;font-size:28px;line-height:36px;letter-spacing:4px">${code}</p>
<p class="quiet" style="${small}">${escapeHtml(words.life)}</p>
<p class="quiet" style="${small}">${escapeHtml(words.ignore)}</p>
${help}
</div>
</body>
</html>
`;
}
