// Reads the content of a database, so that a test can check that an action writes nothing.

import { listTables } from '../src/backup/tables.sql.ts';
import type { Db } from '../src/db/database.ts';

/** Returns the number of rows and a checksum of each table. */
export async function readTables(db: Db): Promise<Record<string, unknown>> {
  const sums: Record<string, unknown> = {};
  for (const { name } of await listTables(db)) {
    const { rows } = await db.query(
      `select count(*)::int as count, md5(string_agg(t::text, '|' order by t::text)) as sum from ${name} t`,
    );
    sums[name] = rows[0];
  }
  return sums;
}
