// Reads the built web application: the template of the pages, the inline script, the list of files for each screen, and
// the render function.
import { readFile } from 'node:fs/promises';
import type { Language, RenderPage } from '@portal/contract';

const DIST = new URL('../../../web/dist/', import.meta.url);
const MANIFEST = new URL('.vite/manifest.json', DIST);
// Keys of entries in the manifest of Vite, which lists the built files. The key of a built file is the path of its
// source file.
const MAIN = 'src/main.tsx';
const FIRST_SCRIPT = 'src/first-script.ts';
const SIGN_IN_CLIENT = '../node_modules/@supabase/auth-js/dist/module/index.js';
const TEXT_FONT =
  '../node_modules/@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2';
const PARTS = {
  en: [],
  de: ['../contract/src/words/de.ts'],
  product: ['src/learner/product.tsx'],
  callback: ['src/sign-in/callback.tsx'],
};

/**
 * An optional part of a page: the translations of a language, or a screen. A page with this part loads the files of the
 * part in addition to the files that every page loads.
 */
export type Part = Language | keyof typeof PARTS;

export type BuiltPages = {
  /** Folder of the built files that browsers download. */
  folder: URL;
  /** Content of web/index.html, with placeholders such as `{{title}}`. */
  template: string;
  /** Text of the JavaScript that is inline in the head of every page. */
  firstScript: string;
  /**
   * Returns the HTML tags for a page with `parts`. `head` contains tags for the head of the page. `scripts` contains
   * the script tags, which the inline script of the page inserts later.
   */
  writeTags(parts: readonly Part[]): { head: string; scripts: string };
  renderPage: RenderPage;
};

/** The manifest of Vite, described under 'Backend Integration' in Vite's documentation. */
type Manifest = Record<string, { file: string; css?: string[]; imports?: string[] }>;

/** Reads web/dist. Returns null if the web application was not built. Throws if a built file is missing. */
export async function readBuiltPages(): Promise<BuiltPages | null> {
  const written = await readFile(MANIFEST, 'utf8').catch(() => null);
  if (written === null) return null;
  const manifest = JSON.parse(written) as Manifest;
  const find = (key: string) => {
    const found = manifest[key];
    if (!found) throw new Error(`${key} is not among the built files`);
    return found;
  };
  for (const key of Object.values(PARTS).flat()) find(key);
  const listImports = (key: string): string[] => [key, ...(find(key).imports ?? []).flatMap(listImports)];
  const [main, first, client, font] = [MAIN, FIRST_SCRIPT, SIGN_IN_CLIENT, TEXT_FONT].map(
    (key) => find(key).file,
  );
  const firstScript = (await readFile(new URL(first ?? '', DIST), 'utf8')).trim();
  const writeTags: BuiltPages['writeTags'] = (parts) => {
    const keys = new Set([MAIN, ...parts.flatMap((part) => PARTS[part])].flatMap(listImports));
    const files = Array.from(keys, find);
    const head = [
      `<script data-client="/${client}">${firstScript}</script>`,
      `<link rel="preload" href="/${font}" as="font" type="font/woff2" crossorigin>`,
      ...files.flatMap(({ css = [] }) =>
        css.map((file) => `<link rel="stylesheet" crossorigin href="/${file}">`),
      ),
    ];
    const scripts = files.map(({ file }) => `<link rel="modulepreload" crossorigin href="/${file}">`);
    scripts.push(`<script type="module" crossorigin src="/${main}"></script>`);
    return { head: head.join(''), scripts: scripts.join('') };
  };
  const rendering = await import(new URL('server/render-page.js', DIST).href);
  const { renderPage, template } = rendering as { renderPage: RenderPage; template: string };
  return { folder: DIST, template, firstScript, writeTags, renderPage };
}
