// What the build of the pages left for the server: the page to be filled in, and the function that renders its body.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Language, RenderPage } from '@portal/contract';

const BUILT = new URL('../../../web/dist/', import.meta.url);
const ENTRY = 'index.html';
const BRAND_LINK = '<link rel="stylesheet" href="/brand.css">';
const PRODUCT = 'src/pages/product/product-page.tsx';
const CALLBACK = 'src/pages/auth-callback-page.tsx';
const GERMAN = '../contract/src/words/de.ts';
const INLINE_SCRIPT = /<script(?:\s+data-[\w-]+="[^"]*")*>(.*?)<\/script>/gs;
const INLINE_STYLE = /<style>(.*?)<\/style>/gs;
const STYLE_SHEET = /<link rel="stylesheet" crossorigin href="\/([^"]+)">/g;

export type BuiltPages = {
  /** Where the files lie that browsers fetch. */
  folder: URL;
  /** The page without anything in it. */
  shell: string;
  /** Of the scripts and styles that stand in pages themselves, as the content policy names them: `'sha256-…'`. */
  inlineHashes: InlineHashes;
  /** Links to what a language or a screen needs besides the files of every page. */
  links: Record<Language | 'product' | 'callback', string>;
  renderPage: RenderPage;
};

export type InlineHashes = { scripts: string[]; styles: string[] };

type Manifest = Record<string, { file: string; css?: string[]; imports?: string[] }>;

/** Reads what was built, and puts the styles of the brand into it; null when nothing was. */
export async function readBuiltPages(brandStyles: string): Promise<BuiltPages | null> {
  if (!existsSync(new URL(ENTRY, BUILT))) return null;
  const page = await putStylesIn(await readFile(new URL(ENTRY, BUILT), 'utf8'));
  const shell = page.replace(BRAND_LINK, () => `<style>${brandStyles}</style>`);
  const manifest = JSON.parse(await readFile(new URL('.vite/manifest.json', BUILT), 'utf8')) as Manifest;
  const { renderPage } = (await import(new URL('server/render-page.js', BUILT).href)) as {
    renderPage: RenderPage;
  };
  const linksTo = (entry: string) => putStylesIn(listLinks(manifest, entry));
  const links = {
    en: '',
    de: await linksTo(GERMAN),
    product: await linksTo(PRODUCT),
    callback: await linksTo(CALLBACK),
  };
  const everything = [shell, ...Object.values(links)].join('');
  const inlineHashes = {
    scripts: listHashes(everything, INLINE_SCRIPT),
    styles: listHashes(everything, INLINE_STYLE),
  };
  return { folder: BUILT, shell, inlineHashes, links, renderPage };
}

/**
 * Puts the style sheets that `html` links into it, so that the first paint waits for no second answer. The link stays,
 * switched off: by it the scripts know that they need not fetch the sheet. `composePage` holds it back with them.
 */
async function putStylesIn(html: string): Promise<string> {
  let whole = html;
  for (const [link, file = ''] of html.matchAll(STYLE_SHEET)) {
    const style = await readFile(new URL(file, BUILT), 'utf8');
    whole = whole.replace(link, () => `<style>${style}</style>${link.replace('>', ' disabled>')}`);
  }
  return whole;
}

function listHashes(html: string, inline: RegExp): string[] {
  return Array.from(
    html.matchAll(inline),
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );
}

function listLinks(manifest: Manifest, entry: string): string {
  const ofEveryPage = new Set(listImports(manifest, ENTRY));
  const files = listImports(manifest, entry).filter((name) => !ofEveryPage.has(name));
  const scripts = files.map(
    (name) => `<link rel="modulepreload" crossorigin href="/${manifest[name]?.file}">`,
  );
  const styles = files
    .flatMap((name) => manifest[name]?.css ?? [])
    .map((file) => `<link rel="stylesheet" crossorigin href="/${file}">`);
  return [...styles, ...scripts].join('');
}

/** `name` and all that it imports, each once. */
function listImports(manifest: Manifest, name: string, found = new Set<string>()): string[] {
  if (found.has(name)) return [];
  found.add(name);
  return [name, ...(manifest[name]?.imports ?? []).flatMap((each) => listImports(manifest, each, found))];
}
