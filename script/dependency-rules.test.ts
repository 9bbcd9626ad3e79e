// Tests the lint rules about imports, SQL, fetch and browser storage. The tests write small example files into a
// temporary folder, run the linters there, and check that exactly the forbidden examples are reported.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { ICruiseResult } from 'dependency-cruiser';
import { expect, onTestFinished, test } from 'vitest';
import config from '../dependency-cruiser.config.ts';

/** Forbidden imports: the importing file, the imported module, and the rule that must report this import. */
const FORBIDDEN: [file: string, imported: string, rule: string][] = [
  ['server/src/log.ts', './missing.ts', 'imports-are-found'],
  ['server/src/backup/dump.ts', '../../test/factories.ts', 'no-test-code'],
  ['server/src/brand.ts', '../../contract/src/index.ts', 'contract-by-its-name'],
  ['web/src/settings.ts', '../../contract/src/index.ts', 'contract-by-its-name'],
  ['web/src/navigation.ts', '../../server/src/target.ts', 'server-from-server-only'],
  ['script/build.ts', '../server/src/target.ts', 'server-from-server-only'],
  ['server/src/headers.ts', '../../web/src/target.ts', 'pages-from-pages-only'],
  ['contract/src/users.ts', 'pino', 'contract-stands-alone'],
  ['contract/src/csv.ts', 'node:fs', 'contract-stands-alone'],
  ['contract/src/words/de.ts', '../users.ts', 'catalogues-stand-alone'],
  ['server/src/features/redeem/redeem.ts', 'fastify', 'fastify-in-routes-only'],
  ['server/src/auth/refresh.ts', '@fastify/static', 'fastify-in-routes-only'],
  ['web/src/queries.ts', 'fastify', 'fastify-in-routes-only'],
  ['server/src/features/redeem/claims.sql.ts', 'pg', 'engines-in-db-only'],
  ['server/src/http/health.ts', '@electric-sql/pglite', 'engines-in-db-only'],
  ['server/src/operator/socket.ts', 'commander', 'commander-in-the-command-line-only'],
  ['server/src/config.ts', './auth/target.ts', 'services-are-passed-in'],
  ['server/src/http/outbox.ts', '../gateways/target.ts', 'services-are-passed-in'],
  ['server/src/features/people/save.ts', '../../gateways/target.ts', 'services-are-passed-in'],
  ['server/src/features/people/routes.ts', '../../app.ts', 'routes-below-app'],
  ['server/src/features/people/users.ts', './person-routes.ts', 'nouns-below-routes'],
  ['server/src/features/people/users.sql.ts', './target.ts', 'sql-below-nouns'],
  ['server/src/features/log/audit.sql.ts', '../../target.ts', 'sql-below-nouns'],
  ['server/src/db/migrate.ts', '../features/target.ts', 'db-is-the-lowest-layer'],
  ['server/src/gateways/mailer.ts', '../features/target.ts', 'gateways-stand-alone'],
  ['server/src/auth/context.ts', '../features/target.ts', 'auth-stands-alone'],
  ['server/src/auth/token-routes.ts', '../target.ts', 'auth-stands-alone'],
  ['server/src/auth/sign-in.ts', './target-routes.ts', 'auth-below-its-routes'],
  ['server/src/auth/users.sql.ts', './target.ts', 'sql-below-nouns'],
  ['web/src/api.ts', 'node:fs', 'pages-run-in-browsers'],
  ['web/src/frame.tsx', './staff/target.tsx', 'no-staff-code-for-learners'],
  ['web/src/ui/field.tsx', '@base-ui/react', 'base-ui-for-staff-only'],
  ['web/src/learner/home.tsx', '../ui/menu.tsx', 'base-ui-for-staff-only'],
  ['web/src/staff/nouns/code.tsx', '../codes/target.tsx', 'nouns-below-screens'],
  ['web/src/staff/log/lines.tsx', '../people/target.tsx', 'log-below-screens'],
  ['web/src/staff/files/check.tsx', '../codes/target.tsx', 'files-below-screens'],
  ['web/src/staff/codes/list.tsx', '../people/target.tsx', 'screens-of-a-noun-stand-alone'],
  ['web/src/ui/button.tsx', '../target.tsx', 'ui-without-product-knowledge'],
  ['web/src/ui/dialog.tsx', '@portal/contract', 'ui-without-product-knowledge'],
  ['web/src/words/translate.ts', '../target.ts', 'words-is-the-lowest-layer'],
];

/** Imports that no rule may report: the importing file and the imported module. */
const ALLOWED: [file: string, imported: string][] = [
  ['contract/src/fields.ts', 'zod'],
  ['contract/src/words/served.ts', '../language.ts'],
  ['web/src/page.tsx', '@portal/contract'],
  ['web/src/app.tsx', './staff/target.tsx'],
  ['web/src/staff/team.tsx', '../auth.ts'],
  ['web/src/ui/picker.tsx', '@base-ui/react'],
  ['web/src/staff/search.tsx', '@base-ui/react'],
  ['web/src/staff/cohorts/page.tsx', '../people/target.tsx'],
  ['server/src/db/ping.sql.ts', '@portal/contract'],
  ['server/src/features/access/grants.sql.ts', './target.ts'],
  ['server/src/start-portal.ts', './auth/target.ts'],
  ['server/src/auth/otp-routes.ts', 'fastify'],
  ['server/src/db/open.ts', 'pg'],
  ['server/src/operator/command-line.ts', 'commander'],
  ['server/src/auth/mail.ts', '../jobs/target.ts'],
  ['server/src/features/people/users.test.ts', './routes.ts'],
  ['e2e/home.test.ts', '../server/src/db/target.ts'],
];

/** The dependency rule of each folder of `staff/`, except `cohorts`, which may import all others. */
const RULE_OF_FOLDER: Record<string, string> = {
  nouns: 'nouns-below-screens',
  log: 'log-below-screens',
  files: 'files-below-screens',
  products: 'screens-of-a-noun-stand-alone',
  codes: 'screens-of-a-noun-stand-alone',
  people: 'screens-of-a-noun-stand-alone',
};

const PACKAGES = [
  ...['pino', 'fastify', '@fastify/static', 'pg', '@electric-sql/pglite', 'zod', 'commander'],
  '@base-ui/react',
];

/**
 * Examples for Biome: a file name and the content of the file. If `refusal` is given, Biome must report one error for
 * this file, and the error must contain `refusal`. Otherwise Biome must report no error.
 */
const CODE: [file: string, code: string, refusal?: string][] = [
  ['web/src/staff/a.ts', "fetch('/');", 'fetch'],
  ['web/src/learner/b.ts', 'new XMLHttpRequest();', 'XMLHttpRequest'],
  ['web/src/auth.ts', 'localStorage.clear();', 'localStorage'],
  ['web/src/ui/c.ts', 'sessionStorage.clear();', 'sessionStorage'],
  ['server/src/bulk/d.ts', "database.query('select 1');", 'Only *.sql.ts contain SQL'],
  ['server/src/features/log/e.ts', "database.query<Row>('select 1');", 'Only *.sql.ts contain SQL'],
  ['server/src/app.ts', "database.execute('select 1');", 'Only *.sql.ts contain SQL'],
  ['server/src/a.ts', "import './b.ts';", 'cycle'],
  ['server/src/b.ts', "import './a.ts';", 'cycle'],
  ['web/src/api.ts', "fetch('/');"],
  ['web/src/sign-in/session.ts', 'sessionStorage.clear();'],
  ['server/src/auth/f.sql.ts', "database.query('select 1');"],
  ['server/src/db/g.ts', "database.query('select 1');"],
  ['server/src/bulk/h.test.ts', "database.query('select 1');"],
];

const bin = resolve('node_modules/.bin');

async function makeFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'dependency-rules-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

async function write(folder: string, file: string, content: string) {
  await mkdir(join(folder, dirname(file)), { recursive: true });
  await writeFile(join(folder, file), content);
}

/** Runs a program in `folder` and returns its standard output, even if the program fails. */
function run(folder: string, program: string, ...parameters: string[]) {
  return new Promise<string>((resolve) => {
    execFile(join(bin, program), parameters, { cwd: folder }, (_error, output) => resolve(output));
  });
}

/**
 * Returns one import from each folder of `staff/` to each other folder. The import is allowed if docs/architecture.md
 * lists the other folder in a lower line.
 */
async function listDrawn(): Promise<{ forbidden: typeof FORBIDDEN; allowed: typeof ALLOWED }> {
  const text = await readFile('docs/architecture.md', 'utf8');
  const [, picture = ''] = /A folder of `staff\/` imports only [^`]*```\n(.+?)\n```/s.exec(text) ?? [];
  const lines = picture.split('\n').map((line) => line.split(/\s+/));
  const folders = lines.flat();
  expect(new Set(folders)).toEqual(new Set(['cohorts', ...Object.keys(RULE_OF_FOLDER)]));
  const lineOf = (folder: string) => lines.findIndex((line) => line.includes(folder));
  const pairs = folders.flatMap((from) => folders.filter((to) => to !== from).map((to) => ({ from, to })));
  const importOf = ({ from, to }: (typeof pairs)[number]): [file: string, imported: string] => [
    `web/src/staff/${from}/uses-${to}.tsx`,
    `../${to}/drawn.tsx`,
  ];
  const isAllowed = ({ from, to }: (typeof pairs)[number]) => lineOf(from) < lineOf(to);
  return {
    forbidden: pairs
      .filter((pair) => !isAllowed(pair))
      .map((pair) => [...importOf(pair), RULE_OF_FOLDER[pair.from] ?? 'none']),
    allowed: pairs.filter(isAllowed).map(importOf),
  };
}

test('each dependency rule finds the imports that it forbids, and no others', async () => {
  const folder = await makeFolder();
  const drawn = await listDrawn();
  const forbidden = [...FORBIDDEN, ...drawn.forbidden];
  const examples = [...forbidden, ...ALLOWED, ...drawn.allowed];
  for (const [file, imported] of examples)
    if (imported.startsWith('.') && imported !== './missing.ts')
      await write(folder, join(dirname(file), imported), 'export const A = 1;');
  for (const name of PACKAGES) await write(folder, `node_modules/${name}/index.js`, '');
  await write(folder, 'contract/package.json', await readFile('contract/package.json', 'utf8'));
  await mkdir(join(folder, 'node_modules/@portal'));
  await symlink('../../contract', join(folder, 'node_modules/@portal/contract'));
  for (const [file, imported, rule] of examples) {
    // SQL may use the types of a noun. All other rules hold for types too.
    const importOf = rule === 'sql-below-nouns' ? 'import' : 'import type';
    await write(folder, file, `${importOf} { A } from '${imported}';\nexport type B = typeof A;`);
  }

  const output = await run(
    folder,
    'depcruise',
    '--config',
    resolve('dependency-cruiser.config.ts'),
    '--output-type',
    'json',
    '.',
  );
  const { summary } = JSON.parse(output) as ICruiseResult;
  expect(summary.violations.map(({ from, rule }) => `${from}: ${rule.name}`).sort()).toEqual(
    forbidden.map(([file, , rule]) => `${file}: ${rule}`).sort(),
  );
  const broken = new Set(FORBIDDEN.map(([, , rule]) => rule));
  expect(config.forbidden.filter(({ name }) => !broken.has(name))).toEqual([]);
});

test('SQL outside of *.sql.ts, fetch and storage outside of their files, and import cycles are refused', async () => {
  const folder = await makeFolder();
  for (const file of ['biome.json', '.gitignore', 'script/sql-in-sql-files.grit'])
    await write(folder, file, await readFile(file, 'utf8'));
  for (const [file, code] of CODE) await write(folder, file, code);

  const output = await run(
    folder,
    'biome',
    'lint',
    '--reporter=github',
    '--only=noRestrictedGlobals',
    '--only=noImportCycles',
    '--only=plugin',
  );
  const lines = output.split('\n').filter((line) => line.startsWith('::error'));
  for (const [file, , refusal] of CODE) {
    const said = lines.filter((line) => line.includes(`/${file},`));
    expect(said, file).toEqual(refusal ? [expect.stringContaining(refusal)] : []);
  }
});
