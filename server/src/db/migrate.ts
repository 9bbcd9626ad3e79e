// Applies the SQL files of server/schema in order, each file once. There is no downgrade.
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { type Database, DatabaseError, type Db } from './database.ts';

const SCHEMA = new URL('../../schema/', import.meta.url);
// The version of a migration is this number plus the number of its file. The migrations before the baseline had
// versions up to 80. So a program that knows only those migrations refuses the database as newer.
const VERSION_OFFSET = 1_000;
/** The version of 0001-baseline.sql. */
const BASELINE = VERSION_OFFSET + 1;
/** The versions of the migrations before the baseline. Together they created the schema of 0001-baseline.sql. */
const BEFORE_BASELINE = [
  ...Array.from({ length: 38 }, (_, index) => index + 1),
  ...[40, 41, 45, 46, 47, 50, 60, 61, 62, 63, 64, 70, 71, 75, 76, 77, 78, 80],
];
const LAST_BEFORE_BASELINE = 80;
// Key of the advisory lock: an arbitrary number, the same in every process.
const LOCK_KEY = 7_153_001;
const LOCK_RETRY_MS = 100;
const NO_TRANSACTION = /^-- no transaction$/m;

export type Migration = { version: number; name: string; sql: string };

/** Returns the migrations in the folder, lowest version first. The first one is the baseline. */
export async function listMigrations(folder: URL = SCHEMA): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}-.*\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => ({
      version: VERSION_OFFSET + Number(name.slice(0, 4)),
      name,
      sql: await readFile(new URL(name, folder), 'utf8'),
    })),
  );
}

/**
 * Applies the pending migrations, lowest version first, and returns their names. A migration is pending even if one
 * with a higher number was applied before. Each migration runs in its own transaction and under a lock, so that it is
 * applied once if several processes start together.
 * The first line of a migration may be `-- no transaction`. Its statements then run outside of a transaction and may
 * contain `create index concurrently`. Each statement must end at the end of a line, except that the statements of one
 * line are one transaction. If such a migration is
 * interrupted, it runs again from its first statement. So it must delete incomplete indexes: `drop index concurrently
 * if exists` before each `create index concurrently`.
 * A database with all migrations before the baseline has the schema of the baseline. The baseline is then recorded as
 * applied and does not run. The rows of the older migrations are kept, so that a program with those migrations finds
 * none of them pending.
 * @throws DatabaseError if the schema is newer than this program, or older than the last migration before the baseline.
 */
export async function migrate(db: Database, migrations?: Migration[]): Promise<string[]> {
  const known = migrations ?? (await listMigrations());
  const newest = known.at(-1)?.version ?? 0;
  const applied: string[] = [];
  for (const migration of known) {
    const ran = await withSchemaLock(db, async (tx) => {
      const versions = await listApplied(tx);
      const applied = fromBaseline(versions);
      const current = applied.at(-1) ?? 0;
      if (current > newest) {
        throw new DatabaseError(
          `The database was written by a newer version of the portal (schema ${current}, this program knows ${newest}). Start that version, or restore a backup made before the upgrade.`,
        );
      }
      if (applied.includes(migration.version)) {
        if (!versions.includes(migration.version)) await recordApplied(tx, migration);
        return false;
      }
      // With `concurrently`, other statements can run at the same time. PGlite has only one connection, so there is no
      // benefit. On PGlite, a `-- no transaction` migration runs in a transaction, like other migrations.
      if (db.engine === 'postgres' && NO_TRANSACTION.test(migration.sql)) {
        await endSnapshot(tx);
        for (const statement of splitStatements(migration.sql)) await db.execute(statement);
        await recordApplied(tx, migration);
      } else await applyMigrations(tx, [migration]);
      return true;
    });
    if (ran) applied.push(migration.name);
  }
  return applied;
}

/**
 * Applies migrations in the transaction `tx`. The caller must have locked the schema with `withSchemaLock`, because
 * concurrent `create table if not exists` statements for one table can fail.
 */
export async function applyMigrations(tx: Db, migrations: Migration[]): Promise<void> {
  await tx.query(
    'create table if not exists schema_migration (version integer primary key, name text not null, applied_at timestamptz not null default now())',
  );
  for (const migration of migrations) {
    const { sql } = migration;
    await tx.execute(NO_TRANSACTION.test(sql) ? sql.replaceAll(/\bconcurrently\b/g, '') : sql);
    await recordApplied(tx, migration);
  }
}

async function recordApplied(tx: Db, { version, name }: Migration): Promise<void> {
  await tx.query('insert into schema_migration (version, name) values ($1, $2)', [version, name]);
}

/**
 * Returns the elements of `migrations` that the database has not applied.
 * @throws DatabaseError if the schema is older than the last migration before the baseline.
 */
export async function listPending(db: Db, migrations: Migration[]): Promise<Migration[]> {
  const applied = fromBaseline(await listApplied(db));
  return migrations.filter(({ version }) => !applied.includes(version));
}

// Splits where a line ends a statement. A semicolon in the body of a function, between two `$$`, ends no statement.
function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let open = '';
  for (const part of sql.split(/(?<=;)\s*\n/)) {
    open += `${part}\n`;
    if (open.split('$$').length % 2 === 0) continue;
    statements.push(open);
    open = '';
  }
  return statements;
}

/** Returns the versions of the applied migrations in ascending order; none for an empty database. */
export async function listApplied(db: Db): Promise<number[]> {
  const found = await db.query("select 1 from pg_class where oid = to_regclass('schema_migration')");
  if (found.rows.length === 0) return [];
  const { rows } = await db.query<{ version: number }>(
    'select version from schema_migration order by version',
  );
  return rows.map(({ version }) => version);
}

/** Returns the highest version of the applied migrations; 0 for an empty database. */
export async function readSchemaVersion(db: Db): Promise<number> {
  return (await listApplied(db)).at(-1) ?? 0;
}

/**
 * Returns the applied versions from the baseline on. If exactly the migrations before the baseline were applied,
 * returns the version of the baseline. Returns null if some of those migrations are missing.
 */
export function countFromBaseline(applied: readonly number[]): number[] | null {
  const known = applied.filter((version) => version >= VERSION_OFFSET);
  if (known.length > 0 || applied.length === 0) return known;
  return applied.join() === BEFORE_BASELINE.join() ? [BASELINE] : null;
}

/** Advice for a database or a backup that is older than the last migration before the baseline. */
export const UPGRADE_FIRST = `start a version with schema ${LAST_BEFORE_BASELINE} first, and then this one`;

function fromBaseline(applied: readonly number[]): number[] {
  const known = countFromBaseline(applied);
  if (known !== null) return known;
  throw new DatabaseError(
    `The database was written by a version of the portal that is too old for this one (schema ${applied.at(-1)}): ${UPGRADE_FIRST}.`,
  );
}

/** Runs `work` in a transaction that locks the schema against migrations. Waits for the lock without a time limit. */
export async function withSchemaLock<T>(db: Database, work: (tx: Db) => Promise<T>): Promise<T> {
  for (;;) {
    // Each attempt to get the lock is a new transaction. The process with the lock may run `create index concurrently`,
    // which waits for all older transactions that have a snapshot. A transaction that waited for the lock would have a
    // snapshot, so the two would deadlock.
    const done = await db.transaction(async (tx) => {
      const { rows } = await tx.query<{ locked: boolean }>('select pg_try_advisory_xact_lock($1) as locked', [
        LOCK_KEY,
      ]);
      if (!rows[0]?.locked) return null;
      await tx.execute('set local statement_timeout = 0');
      return { result: await work(tx) };
    });
    if (done) return done.result;
    await pause(LOCK_RETRY_MS);
  }
}

// Ends the snapshot of the last query in `tx`. A query with parameters keeps its snapshot until the next statement; a
// statement without parameters, like the one below, keeps none. `create index concurrently` runs on another connection
// and waits for all older snapshots, while `tx` waits for the index. With a snapshot, the two would deadlock.
async function endSnapshot(tx: Db): Promise<void> {
  await tx.execute('set local idle_in_transaction_session_timeout = 0');
}
