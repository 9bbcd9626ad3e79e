// One page of HTML from its parts: the built page, the provider's settings, what was rendered, and what its head says.
import type { Language, PageData, PageSettings, RenderedPage } from '@portal/contract';
import { escapeHtml } from '../gateways/escape-html.ts';

export type PageParts = {
  /** The built page; see `BuiltPages`. */
  shell: string;
  language: Language;
  settings: PageSettings;
  /** `false`: search engines are asked to leave the page out. */
  isPublic: boolean;
  /** Links to further files. */
  links?: string;
  data?: PageData;
  /** Without it the page is empty until its scripts run. */
  rendered?: RenderedPage;
  /** Full address of the page, and of the picture that is shown with shared links. */
  address?: string;
  picture?: { url: string; isOurs: boolean };
};

const HELD =
  /<script type="module"[^>]*><\/script>|<link rel="modulepreload"[^>]*>|<link rel="stylesheet"[^>]* disabled>/g;
const OUR_PICTURE = { width: '1200', height: '630', alt: 'A ticket with a perforation' };

/** Puts a page together; whatever the parts say stays text. */
export function composePage({ shell, settings, isPublic, links = '', data, ...parts }: PageParts): string {
  const { language, rendered, address, picture } = parts;
  const head = [
    isPublic ? '' : '<meta name="robots" content="noindex">',
    links,
    data === undefined ? '' : `<script type="application/json" id="page-data">${toJson(data)}</script>`,
    rendered && isPublic && address && picture ? describe(rendered, settings, address, picture) : '',
  ].join('');
  let page = shell
    .replace('<html lang="en">', `<html lang="${language}">`)
    .replace('id="page-settings">{}<', () => `id="page-settings">${toJson(settings)}<`)
    .replace('</head>', () => `${head}</head>`);
  if (rendered) {
    const { title, withoutScript, forVisitors, forSignedIn } = rendered;
    page = page
      .replace('This page needs JavaScript.', () => escapeHtml(withoutScript))
      .replace(/<title>[^<]*<\/title>/, () => `<title>${escapeHtml(title)}</title>`)
      .replace(
        '<div id="root"></div>',
        () => `<template id="for-signed-in">${forSignedIn}</template><div id="root">${forVisitors}</div>`,
      );
  }
  return holdScripts(page);
}

// The last script of index.html puts them in place when there is something to be seen. With them links to sheets that stand
// in the page: Chromium, which reads ahead for what to fetch, would fetch them although they are switched off.
function holdScripts(page: string): string {
  const held = page.match(HELD) ?? [];
  return page
    .replaceAll(HELD, '')
    .replace('</head>', `<template id="scripts">${held.join('')}</template></head>`);
}

/** What search engines and shared links show. */
function describe(
  { title, description }: RenderedPage,
  { brand }: PageSettings,
  address: string,
  { url, isOurs }: NonNullable<PageParts['picture']>,
): string {
  const properties: Record<string, string> = {
    'og:type': 'website',
    'og:site_name': brand.name,
    'og:title': title,
    'og:description': description,
    'og:url': address,
    'og:image': url,
    ...(isOurs && {
      'og:image:width': OUR_PICTURE.width,
      'og:image:height': OUR_PICTURE.height,
      'og:image:alt': OUR_PICTURE.alt,
    }),
  };
  const tags = Object.entries(properties).map(
    ([name, content]) => `<meta property="${name}" content="${escapeHtml(content)}">`,
  );
  return [
    `<link rel="canonical" href="${escapeHtml(address)}">`,
    `<meta name="description" content="${escapeHtml(description)}">`,
    ...tags,
    '<meta name="twitter:card" content="summary_large_image">',
  ].join('');
}

// `<` is escaped so that no word in it can end the script element.
function toJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
