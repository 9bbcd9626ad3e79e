// SQL about the database server: reads its version and clock, tests whether it responds and accepts writes, and starts
// read-only transactions.
import type { Database, Db } from './database.ts';

/** `at` is the server's time in milliseconds since 1970. `version_num` is a number such as 180004 for version 18.4. */
type ServerFacts = { version: string; version_num: number; at: number; time_zone: string };

export async function describeServer(db: Db): Promise<ServerFacts> {
  const { rows } = await db.query<ServerFacts>(
    `select current_setting('server_version') as version, current_setting('server_version_num')::int as version_num,
            (extract(epoch from clock_timestamp()) * 1000)::float8 as at, current_setting('TimeZone') as time_zone`,
  );
  return rows[0] as ServerFacts;
}

/** True if the database user may create tables in the current schema; false if there is no current schema. */
export async function mayCreateTables(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ may: boolean | null }>(
    "select has_schema_privilege(current_schema(), 'CREATE') as may",
  );
  return rows[0]?.may ?? false;
}

/** Inserts a row and rolls back. Throws the error of the database if the server refuses writes. */
export async function tryToWrite(db: Database): Promise<void> {
  const undo = new Error('taken back');
  const written = db.transaction(async (tx) => {
    await tx.query("insert into tally_change (what, n) values ('user', 0)");
    throw undo;
  });
  await written.catch((error: unknown) => {
    if (error !== undo) throw error;
  });
}

/** Tests whether the server responds. Throws the error of the database. */
export async function ping(db: Db): Promise<void> {
  await db.query('select 1');
}

/**
 * Makes the transaction `tx` read-only. All its statements then read the same snapshot. Call this function before any
 * other statement of the transaction.
 */
export async function beginReading(tx: Db): Promise<void> {
  await tx.execute('set transaction isolation level repeatable read, read only');
}
