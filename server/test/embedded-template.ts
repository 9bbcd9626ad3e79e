// Provides the template: a migrated embedded database that tests copy, because a copy takes a tenth of the time of a
// new database. The folder .cache/ keeps the template until a migration, the database engine or this set-up changes.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const CACHE = resolve(import.meta.dirname, '../../.cache/embedded-templates');
const MAKE_TEMPLATE = join(import.meta.dirname, 'make-embedded-template.ts');
const SCHEMA = resolve(import.meta.dirname, '../schema');
const ENGINE = resolve(import.meta.dirname, '../src/db');
const KEPT_MS = 3_600_000;

/**
 * Returns the folder of the template. Creates the template if the cache contains no current one. For the contents of
 * the folder, see make-embedded-template.ts.
 */
export async function findTemplate(): Promise<string> {
  const folder = join(CACHE, await describeSources());
  // If the folder exists, sets its modification time to now. So a concurrent test run does not remove the folder:
  // `removeOld` keeps folders that were used within the last hour.
  const isThere = await utimes(folder, new Date(), new Date()).then(
    () => true,
    () => false,
  );
  if (!isThere) await makeTemplate(folder);
  return folder;
}

/** Returns a hash of all files on which the content of the template depends. */
async function describeSources(): Promise<string> {
  const digest = createHash('sha256');
  const listed = await Promise.all(
    [SCHEMA, ENGINE].map(async (folder) => {
      const names = (await readdir(folder)).filter((name) => !name.endsWith('.test.ts'));
      return names.sort().map((name) => join(folder, name));
    }),
  );
  const engine = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  for (const file of [
    ...listed.flat(),
    join(engine, '../../package.json'),
    MAKE_TEMPLATE,
    import.meta.filename,
  ]) {
    digest.update(`${file}\n`).update(await readFile(file));
  }
  return digest.digest('hex').slice(0, 20);
}

/**
 * Creates the template in a temporary folder and then renames this folder to `folder`. If a concurrent test run has
 * already created `folder`, that template is kept, because the two templates are equal.
 */
async function makeTemplate(folder: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  await removeOld();
  const draft = await mkdtemp(`${folder}-`);
  await promisify(execFile)(process.execPath, [MAKE_TEMPLATE, draft]);
  await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }));
}

/** Removes the templates that no test run has used for an hour. */
async function removeOld(): Promise<void> {
  for (const name of await readdir(CACHE)) {
    const folder = join(CACHE, name);
    const found = await stat(folder).catch(() => null);
    if (found !== null && Date.now() - found.mtimeMs > KEPT_MS)
      await rm(folder, { recursive: true, force: true });
  }
}
