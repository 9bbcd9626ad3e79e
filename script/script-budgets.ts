// Prints how many bytes of scripts each kind of page loads before the first click. Fails if a page loads more than its
// budget. Reads the built pages, so `vite build web` must run first.
import { readFileSync, statSync } from 'node:fs';

const DIST = 'web/dist';
const MAIN = 'src/main.tsx';
// Staff pages import this module too, so the build names it by its file alone.
const BENEFITS = 'benefits';
const PRODUCT = 'src/learner/product.tsx';
const STAFF = 'src/staff/app.tsx';
const SIGN_IN_CLIENT = '../node_modules/@supabase/auth-js/dist/module/index.js';

/**
 * For each kind of page: the source files from which its scripts are built, and the maximum size of these scripts in
 * bytes, after compression.
 */
const BUDGETS: Record<string, { sources: string[]; bytes: number }> = {
  'home of a visitor': { sources: [MAIN], bytes: 95_000 },
  'home of a learner': { sources: [MAIN, BENEFITS, SIGN_IN_CLIENT], bytes: 125_000 },
  'product page of a visitor': { sources: [MAIN, PRODUCT], bytes: 125_000 },
  'product page of a learner': { sources: [MAIN, PRODUCT, SIGN_IN_CLIENT], bytes: 125_000 },
  'staff pages': { sources: [MAIN, STAFF, SIGN_IN_CLIENT], bytes: 300_000 },
};

type Manifest = Record<string, { file: string; name?: string; imports?: string[] }>;
const manifest = JSON.parse(readFileSync(`${DIST}/.vite/manifest.json`, 'utf8')) as Manifest;

/** Returns the built file of a source file, and the built files of all modules that it imports, also indirectly. */
function listFiles(source: string): string[] {
  const found = manifest[source] ?? Object.values(manifest).find(({ name }) => name === source);
  if (!found) throw new Error(`${source} is not among the built files`);
  return [found.file, ...(found.imports ?? []).flatMap(listFiles)];
}

for (const [page, { sources, bytes }] of Object.entries(BUDGETS)) {
  const files = new Set(sources.flatMap(listFiles));
  const sum = Array.from(files, (file) => statSync(`${DIST}/${file}.br`).size).reduce((a, b) => a + b, 0);
  const excess = sum > bytes ? `: ${sum - bytes} too many` : '';
  console.log(`${page}: ${sum} of ${bytes} bytes of scripts${excess}`);
  if (excess) process.exitCode = 1;
}
