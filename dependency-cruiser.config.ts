// Defines which modules may import which other modules, and why (docs/decisions/0012). Tests may import everything.
// The paths in a rule are regular expressions. They match the path of the imported file, not the text of the import.
import type { IConfiguration, IRegularForbiddenRuleType as Rule } from 'dependency-cruiser';

/** Files that register calls. */
const ROUTES = '^server/src/.*routes\\.ts$';

const TESTS = ['\\.test\\.tsx?$', '^server/test/', '^e2e/', '^bench/'];

/**
 * Returns a rule: modules that match `from` must not import modules that match `to`. The rule does not apply to modules
 * that match `except`. dependency-cruiser prints `comment` as the reason.
 */
function forbid(name: string, comment: string, from: string, to: Rule['to'], except: string[] = []) {
  return {
    name,
    comment,
    severity: 'error',
    from: { path: from, pathNot: [...TESTS, ...except] },
    to,
  } satisfies Rule;
}

export default {
  forbidden: [
    // Rules for all workspaces
    forbid('imports-are-found', 'An import whose file cannot be found escapes all other rules.', '', {
      couldNotResolve: true,
    }),
    forbid('no-test-code', 'No rule limits test code, and it uses packages that only tests install.', '', {
      path: TESTS,
    }),
    forbid(
      'contract-by-its-name',
      "Import '@portal/contract': its package.json lists the entry points, and its other files may change.",
      '^(?!contract/)',
      { path: '^contract/src/', dependencyTypes: ['local'] },
    ),
    forbid(
      'server-from-server-only',
      'Server and pages share the contract only, so that each can change without the other.',
      '^(?!server/)',
      { path: '^server/' },
    ),
    forbid(
      'pages-from-pages-only',
      'Server and pages share the contract only, so that each can change without the other.',
      '^(?!web/)',
      { path: '^web/' },
    ),

    // Rules for the workspace contract
    forbid(
      'contract-stands-alone',
      'Browser and server both load the contract, so it uses zod, culori and nothing of either.',
      '^contract/src/',
      { pathNot: ['^contract/src/', 'node_modules/(zod|culori)/'] },
    ),
    forbid(
      'catalogues-stand-alone',
      'Browsers load the file of a language by itself, so it must not bring the schemas along.',
      '^contract/src/words/',
      { pathNot: ['^contract/src/words/', '^contract/src/language\\.ts$'] },
    ),

    // Rules for the layers of the server, which are the ends of file names: routes.ts, the files of a noun, *.sql.ts.
    // A layer must not import a layer that stands before it in this list. The lowest layer is the folder db.
    forbid(
      'fastify-in-routes-only',
      'Only app.ts, http, pages and routes use Fastify, so that jobs and the operator run the rest without it.',
      '',
      { path: 'node_modules/(fastify|@fastify)/' },
      ['^server/src/(app\\.ts$|http/|pages/|auth/(error-bodies|return-address|wire)\\.ts$)', ROUTES],
    ),
    forbid(
      'engines-in-db-only',
      'Only db imports the two database engines, so that all other code runs on either.',
      '',
      { path: 'node_modules/(pg|@electric-sql)/' },
      ['^server/src/db/'],
    ),
    forbid(
      'commander-in-the-command-line-only',
      'script/portal parses the command line; the running portal gets a call with names and values.',
      '',
      { path: 'node_modules/commander/' },
      ['^server/src/operator/command-line\\.ts$'],
    ),
    forbid(
      'services-are-passed-in',
      'Entry points open the sign-in service and the gateways and pass them in, so that tests pass in others.',
      '^server/src/([^/]+$|http/|features/|bulk/)',
      { path: '^server/src/(auth|gateways)/' },
      ['^server/src/(app|operator|start-portal)\\.ts$'],
    ),
    forbid(
      'routes-below-app',
      'A route calls functions of a noun; app.ts registers the routes, so it is the layer above.',
      '^server/src/(http/|.*routes\\.ts$)',
      { path: '^server/src/(app|main)\\.ts$' },
    ),
    forbid(
      'nouns-below-routes',
      'Routes, jobs and the operator call the functions of a noun and pass in the settings.',
      '^server/src/(features|bulk|jobs|mail)/',
      { path: ['^server/src/(app|main|config)\\.ts$', '^server/src/http/', ROUTES] },
      [ROUTES],
    ),
    forbid(
      'sql-below-nouns',
      'A file with SQL uses db, other SQL and types only, so that each decision is found in the files of a noun.',
      '^server/src/(?!jobs/).*\\.sql\\.ts$',
      {
        path: '^server/src/',
        pathNot: ['^server/src/db/', '\\.sql\\.ts$'],
        dependencyTypesNot: ['type-only'],
      },
    ),
    forbid('db-is-the-lowest-layer', 'All layers use db, so db uses none of them.', '^server/src/db/', {
      path: '^server/src/',
      pathNot: '^server/src/db/',
    }),
    forbid(
      'gateways-stand-alone',
      'A gateway knows one external service and none of our layers, so that another can replace it.',
      '^server/src/gateways/',
      { path: '^server/src/[^/]+/', pathNot: '^server/src/gateways/' },
    ),
    forbid(
      'auth-stands-alone',
      'A hosted service can replace the sign-in service, so it uses db, gateways, jobs, mail, escape-html.ts, the log, the stored forms of addresses and the contract only.',
      '^server/src/auth/',
      {
        path: '^server/src/',
        pathNot:
          '^server/src/((auth|db|gateways|jobs|mail)/|escape-html\\.ts$|features/(log/audit|people/addresses)\\.sql\\.ts$)',
      },
    ),
    forbid(
      'auth-below-its-routes',
      'The sign-in service has the same layers: everything else in it is below its routes.',
      '^server/src/auth/',
      { path: '^server/src/auth/.*routes\\.ts$' },
      ['^server/src/auth/(auth-service\\.ts$|.*routes\\.ts$)'],
    ),

    // Rules for web: words, ui, the pages of learners, staff
    forbid('pages-run-in-browsers', 'Browsers have no modules of Node.', '^web/src/', {
      dependencyTypes: ['core'],
    }),
    forbid(
      'no-staff-code-for-learners',
      'Visitors and learners do not load the pages of staff; app.tsx imports them when a member of the team opens one.',
      '^web/src/(?!staff/)',
      { path: '^web/src/staff/' },
      ['^web/src/app\\.tsx$'],
    ),
    forbid(
      'base-ui-for-staff-only',
      'Visitors and learners do not load Base UI: their pages have no menu and no picker.',
      '^web/src/(?!staff/)',
      { path: ['node_modules/@base-ui/', '^web/src/ui/(menu|picker)\\.tsx$'] },
      ['^web/src/ui/(menu|picker)\\.tsx$'],
    ),
    // Rules for the folders of staff, from bottom to top: nouns, log, files, the screens of a noun, the pages of cohorts
    forbid(
      'nouns-below-screens',
      'A noun (its link, its state, its words) stands on many screens, so it imports none of them.',
      '^web/src/staff/nouns/',
      { path: '^web/src/staff/[^/]+/', pathNot: '^web/src/staff/nouns/' },
    ),
    forbid(
      'log-below-screens',
      'The page of each noun shows its timeline, so the log imports none of these pages.',
      '^web/src/staff/log/',
      { path: '^web/src/staff/[^/]+/', pathNot: '^web/src/staff/(nouns|log)/' },
    ),
    forbid(
      'files-below-screens',
      'Products, codes, people and members come by file, so the upload imports none of their screens.',
      '^web/src/staff/files/',
      { path: '^web/src/staff/[^/]+/', pathNot: '^web/src/staff/(nouns|files)/' },
    ),
    forbid(
      'screens-of-a-noun-stand-alone',
      'A change of the screens of one noun does not reach those of another.',
      '^web/src/staff/(products|codes|people)/',
      { path: '^web/src/staff/(products|codes|people|cohorts)/', pathNot: '^web/src/staff/$1/' },
    ),
    forbid(
      'ui-without-product-knowledge',
      'Controls of ui fit any product, so they use styles and words and no data of the portal.',
      '^web/src/ui/',
      { path: '^(web|contract)/', pathNot: '^web/src/(ui|styles|words)/' },
    ),
    forbid(
      'words-is-the-lowest-layer',
      'All layers of the pages use words, so words uses none of them.',
      '^web/src/words/',
      { path: '^web/src/', pathNot: '^web/src/words/' },
    ),
  ],
  options: {
    // dependency-cruiser parses the files with swc. Its default parser (acorn) finds no imports in TypeScript files,
    // and TypeScript 7 offers no API for its own parser.
    parser: 'swc',
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
    doNotFollow: 'node_modules',
    exclude: '^web/dist/',
  },
} satisfies IConfiguration;
