// Composes the HTML of one page from the template, the operator's brand settings, the rendered screen and the tags of
// the head.
import type { Language, PageData, PageSettings, RenderedPage } from '@portal/contract';
import { escapeHtml } from '../escape-html.ts';
import type { BuiltPages, Part } from './built-pages.ts';

/**
 * All values on which the HTML of a page depends. They are plain JSON values, because the page cache uses their JSON
 * text as its key.
 */
export type PageView = {
  /** Path of the page, without its query. */
  path: string;
  language: Language;
  settings: PageSettings;
  /** If false, the page contains a tag that tells search engines not to index the page. */
  isPublic: boolean;
  part?: Part;
  /**
   * Data with which the server renders the screen. Without data, the server sends an empty page and the browser renders
   * the screen.
   */
  data?: PageData;
  /** Absolute URL of the page, for search engines and shared links. */
  address?: string;
};

/** Returns the HTML of a page. Escapes every value except `rendered`, which is HTML already. */
export function composePage(
  built: BuiltPages,
  styles: string,
  { language, settings, isPublic, part = language, data, address = '' }: PageView,
  rendered?: RenderedPage,
): string {
  const tags = built.writeTags([language, part]);
  const values: Record<string, string> = {
    language,
    title: escapeHtml(rendered?.title ?? 'Partner benefits'),
    noscript: escapeHtml(rendered?.withoutScript ?? 'This page needs JavaScript.'),
    head: [
      tags.head,
      `<style>${styles}</style>`,
      writeJson('page-settings', settings),
      data ? writeJson('page-data', data) : '',
      isPublic ? '' : '<meta name="robots" content="noindex">',
      isPublic && rendered ? describe(rendered, settings, address) : '',
      `<template id="scripts">${tags.scripts}</template>`,
    ].join(''),
    body: rendered
      ? `<template id="for-signed-in">${rendered.forSignedIn}</template><div id="root">${rendered.forVisitors}</div>`
      : '<div id="root"></div>',
  };
  return built.template.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');
}

/** Returns the tags that search engines and previews of shared links read. */
function describe({ title, description }: RenderedPage, { brand }: PageSettings, address: string): string {
  const image = new URL(brand.share_image_url ?? '/share.png', address).href;
  const ours = { 'image:width': '1200', 'image:height': '630', 'image:alt': 'A ticket with a perforation' };
  const texts = { type: 'website', site_name: brand.name, title, description, url: address, image };
  const properties = Object.entries(brand.share_image_url === null ? { ...texts, ...ours } : texts);
  return [
    `<link rel="canonical" href="${escapeHtml(address)}">`,
    `<meta name="description" content="${escapeHtml(description)}">`,
    ...properties.map(([name, value]) => `<meta property="og:${name}" content="${escapeHtml(value)}">`),
    '<meta name="twitter:card" content="summary_large_image">',
  ].join('');
}

// Escapes `<`, so that no value can contain the end tag of the script element.
function writeJson(id: string, value: unknown): string {
  const json = JSON.stringify(value).replaceAll('<', '\\u003c');
  return `<script type="application/json" id="${id}">${json}</script>`;
}
