// The frame of mails to learners: the name of the portal, a title, one button and further paragraphs.
import type { Language } from '@portal/contract';
import { chooseInk, readColour } from '@portal/contract/palette';
import { escapeHtml } from '../escape-html.ts';

const FONT = "-apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

/** The name, colour and support address in mails. `accent` is any CSS colour. */
export type MailBrand = { name: string; accent: string; support_email: string };

type Framed = {
  language: Language;
  brand: MailBrand;
  title: string;
  /** The sentence before the button. */
  lead: string;
  /** A list between the sentence and the button. */
  items?: readonly string[];
  button: string;
  link: string;
  /** HTML between the button and the small print. */
  middle?: string;
  /** Paragraphs of small print; empty ones are left out. */
  small: readonly string[];
};

/**
 * Returns a mail as HTML. Some mail clients remove the style element, so the colours are inline. Clients that keep the
 * element also get a dark theme.
 */
export function frameMail({
  language,
  brand,
  title,
  lead,
  items = [],
  button,
  link,
  middle = '',
  small,
}: Framed): string {
  const { fill, onFill } = chooseMailColours(brand.accent);
  const smallStyle = 'margin:0 0 12px;font-size:14px;line-height:22px;color:#444b48';
  const smallPrint = small
    .filter((text) => text !== '')
    .map((text) => `<p class="quiet" style="${smallStyle}">${escapeHtml(text)}</p>\n`);
  const listed = items.map((item) => `<li>${escapeHtml(item)}</li>\n`).join('');
  const list =
    listed &&
    `<ul style="margin:0 0 20px;padding-left:24px;font-size:16px;line-height:26px">\n${listed}</ul>\n`;
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(title)}</title>
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
<h1 style="margin:0 0 12px;font-size:22px;line-height:28px;font-weight:600">${escapeHtml(title)}</h1>
<p style="margin:0 0 20px;font-size:16px;line-height:26px">${escapeHtml(lead)}</p>
${list}<p style="margin:0 0 28px"><a href="${escapeHtml(link)}" style="display:inline-block;padding:13px 24px;border-radius:8px;background:${fill};color:${onFill};font-size:16px;line-height:22px;font-weight:600;text-decoration:none">${escapeHtml(button)}</a></p>
${middle}${smallPrint.join('')}</div>
</body>
</html>
`;
}

// Chooses the button colours of mails. Returns hex colours, because every mail client supports them.

const INK = '#101714';

type MailColours = { fill: string; onFill: string };

/** Returns the background and text colours of a button. If `accent` is not a colour, the background is almost black. */
export function chooseMailColours(accent: string): MailColours {
  const fill = readColour(accent) ?? INK;
  return { fill, onFill: chooseInk(fill, INK) };
}
