// Checks for script/portal doctor that the portal can use the database: version, schema, writing, clock, and free
// codes. Also lists different codes and addresses that look the same.
import { findSuffix, maskCode } from '@portal/contract';
import { type Database, DatabaseError } from '../db/database.ts';
import { describeServer, mayCreateTables, tryToWrite } from '../db/deployment.sql.ts';
import { listMigrations, listPending, readSchemaVersion } from '../db/migrate.ts';
import { NEEDS_SCHEMA_RIGHTS } from '../describe-failure.ts';
import { listTwinCodes, listTwinEmails } from '../features/people/addresses.sql.ts';
import { countHiddenCodes } from '../features/redeem/redeem.sql.ts';

/**
 * The result of a check. `wrong`: the deployment is unhealthy. `warn`: the operator should do something, but the
 * deployment is healthy. In both states, `text` has the reason and the advice. `unknown`: the check was not possible or
 * not needed.
 */
export type CheckResult = { about: string; state: 'ok' | 'warn' | 'wrong' | 'unknown'; text: string };

/** Runs `check` and returns its result: 'ok' with the returned text, or 'wrong' with the error and `advice`. */
export async function find(about: string, check: () => Promise<string>, advice = ''): Promise<CheckResult> {
  try {
    return { about, state: 'ok', text: await check() };
  } catch (error) {
    const reason = describeError(error);
    return { about, state: 'wrong', text: advice === '' ? reason : `${reason}. ${advice}` };
  }
}

// An error of `fetch` has the message 'fetch failed'; the reason is in the cause of this error.
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError) return error.errors.map(describeError).join(', ');
  return error.cause instanceof Error && error.message === 'fetch failed'
    ? describeError(error.cause)
    : error.message;
}

const OLDEST_VERSION = 150_000;
const LISTED_TWINS = 20;
const CLOCKS_APART_MS = 2_000;

/** Checks the database, and changes nothing. `now` returns the time of this machine in milliseconds since 1970. */
export async function examineDatabase(db: Database, now: () => number): Promise<CheckResult[]> {
  const version = await find('database', () => checkVersion(db), 'See the database server’s own log.');
  if (version.state === 'wrong') return [version];
  return [
    version,
    await find('schema', () => checkSchema(db)),
    await find(
      'writes',
      () => checkWrites(db),
      'Look for a full disk, a replica, or rights that the portal’s database user lacks.',
    ),
    await find('clock', () => checkClock(db, now)),
    await find('free codes', () => checkFreeCodes(db), 'Run script/portal figures recount.'),
    ...(await findTwins(db)),
  ];
}

async function checkFreeCodes(db: Database): Promise<string> {
  if (!(await isCurrent(db))) return 'not tried: the schema is not current';
  const hidden = await countHiddenCodes(db);
  if (hidden > 0) throw new Error(`${hidden} free codes cannot be handed out, because no claim finds them`);
  return 'claims find every one';
}

async function isCurrent(db: Database): Promise<boolean> {
  try {
    return (await listPending(db, await listMigrations())).length === 0;
  } catch (error) {
    // The schema is too old to be migrated by this program. `checkSchema` reports this error.
    if (error instanceof DatabaseError) return false;
    throw error;
  }
}

// Returns warnings about codes and addresses that look the same as others. An upgrade to canonical forms did not change
// codes that somebody holds, and stored addresses (N-302).
async function findTwins(db: Database): Promise<CheckResult[]> {
  if (!(await isCurrent(db))) return [];
  const codes = await listTwinCodes(db, LISTED_TWINS);
  const people = await listTwinEmails(db, LISTED_TWINS);
  const groups = codes.map(
    ({ product, codes: alike, holders }) =>
      `${product}: ${alike.map((code) => maskCode(findSuffix(code))).join(' and ')}, held by ${holders.join(' and ') || 'nobody'}`,
  );
  const pairs = people.map((emails) => emails.map(showInvisible).join(' and '));
  const found: CheckResult[] = [];
  const warn = (about: string, text: string) => found.push({ about, state: 'warn', text });
  if (groups.length > 0)
    warn('codes alike', `codes that look the same were given out. Ask the partner. ${groups.join('; ')}`);
  if (pairs.length > 0)
    warn(
      'people alike',
      `addresses of different people look the same. Correct one of them. ${pairs.join('; ')}`,
    );
  return found;
}

const showInvisible = (text: string) =>
  text.replaceAll(
    /[^ -~]/gu,
    (sign) => `<U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`,
  );

async function checkVersion(db: Database): Promise<string> {
  const { version, version_num } = await describeServer(db);
  const name = `PostgreSQL ${version}${db.engine === 'embedded' ? ', embedded' : ''}`;
  if (version_num >= OLDEST_VERSION) return `${name}, answers`;
  throw new Error(`${name} is too old: upgrade the server to 15 or newer`);
}

async function checkSchema(db: Database): Promise<string> {
  const schema = await readSchemaVersion(db);
  const known = await listMigrations();
  const newest = known.at(-1)?.version ?? 0;
  const pending = await listPending(db, known);
  if (pending.length > 0 && !(await mayCreateTables(db)))
    throw new Error(`DATABASE_URL: its user may not make tables there. ${NEEDS_SCHEMA_RIGHTS}`);
  if (schema === 0) return 'empty: the first start makes the tables';
  if (schema === newest && pending.length === 0) return `version ${schema}, current`;
  throw new Error(
    schema <= newest
      ? `version ${schema}, without ${pending.map(({ name }) => name).join(', ')}: (re)start the portal, which migrates at its start`
      : `version ${schema}, and this program knows only ${newest}: start the newer version of the portal that wrote it`,
  );
}

async function checkWrites(db: Database): Promise<string> {
  if ((await readSchemaVersion(db)) === 0) return 'not tried: there are no tables yet';
  await tryToWrite(db);
  return 'one was made and taken back';
}

async function checkClock(db: Database, now: () => number): Promise<string> {
  const before = now();
  const { at, time_zone } = await describeServer(db);
  const after = now();
  // The server read its clock between `before` and `after`. So the clocks agree if the server's
  // time is between these two.
  const apartMs = Math.max(0, before - at, at - after);
  if (apartMs > CLOCKS_APART_MS) {
    throw new Error(
      `the clocks of this machine and of the database are ${(apartMs / 1000).toFixed(1)} s apart: let both follow a time server (NTP)`,
    );
  }
  return `this machine and the database agree (its time zone is ${time_zone}; the portal reckons in UTC)`;
}
