// The HTML frame of all mails: the name of the portal, a title, one button and further paragraphs.
import { readFileSync } from 'node:fs';
import type { Language } from '@portal/contract';
import { chooseInk, readColour } from '@portal/contract/palette';
import { escapeHtml } from '../escape-html.ts';

/** The name, colour and support address in mails. `accent` is any CSS colour. */
export type MailBrand = { name: string; accent: string; support_email: string };

type Framed = {
  language: Language;
  brand: MailBrand;
  title: string;
  /** The sentence above the button. */
  lead: string;
  /** A list between the sentence and the button. */
  items?: readonly string[];
  button: string;
  link: string;
  /** HTML between the button and the small print. */
  middle?: string;
  /** Paragraphs of small print. Empty paragraphs are left out. */
  small: readonly string[];
};

/** MJML compiles frame.mjml to this file, with HTML that old mail clients can display (decision 0033). */
const FRAME = readFileSync(new URL('frame.html', import.meta.url), 'utf8');

export function frameMail({ brand, items = [], middle = '', small, ...rest }: Framed): string {
  const { fill, onFill } = chooseMailColours(brand.accent);
  const texts: Record<string, string> = { ...rest, name: brand.name };
  const listed = items.map((item) => `<li>${escapeHtml(item)}</li>\n`).join('');
  const html: Record<string, string> = {
    '#f00001': fill,
    '#f00002': onFill,
    middle,
    list: listed && `<ul style="margin:0 0 20px;padding-left:24px">\n${listed}</ul>\n`,
    small: small
      .filter((text) => text !== '')
      .map((text) => `<p style="margin:0 0 12px">${escapeHtml(text)}</p>\n`)
      .join(''),
  };
  return FRAME.replace(
    /\{\{(\w+)\}\}|#f0000[12]/g,
    (found, name = found) => html[name] ?? escapeHtml(texts[name] ?? ''),
  );
}

const INK = '#101714';

/**
 * Returns the background and text colours of a button, as hex colours, because every mail client supports them. If
 * `accent` is not a colour, the background is almost black.
 */
export function chooseMailColours(accent: string): { fill: string; onFill: string } {
  const fill = readColour(accent) ?? INK;
  return { fill, onFill: chooseInk(fill, INK) };
}
