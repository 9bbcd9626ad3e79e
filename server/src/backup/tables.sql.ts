// Reads and writes whole tables as text, for backups. The names of tables and columns are read from the system
// catalogue of PostgreSQL.

import type { Db } from '../db/database.ts';
import { beginReading } from '../db/deployment.sql.ts';

/** A table and its columns. Generated columns are left out, because the database computes them again. */
export type BackupTable = { name: string; columns: string[] };

/** An identity column and the last number that it generated. */
export type BackupSequence = { table: string; column: string; last_value: string };

const ROWS_A_FETCH = 1_000;
/** A row of these tables may hold the text of a file, so each is read alone. */
const LONG_ROWS = ['import_job', 'import_source'];

/**
 * Lets all reads of the transaction see the same snapshot, and removes the time-outs of the transaction. Must be called
 * before any other statement.
 */
export async function beginSnapshot(tx: Db): Promise<void> {
  await beginReading(tx);
  await tx.execute(
    `set local statement_timeout = 0;
     set local idle_in_transaction_session_timeout = 0;
     set local synchronize_seqscans = off;
     set local timezone = 'UTC'`,
  );
}

/**
 * Returns the tables of the schema. Each table comes after the tables that its foreign keys reference. Throws if the
 * references form a cycle.
 * Unlogged tables are left out: PostgreSQL empties them after a crash anyway. `schema_migration` is left out, because
 * the migrations fill it.
 */
export async function listTables(db: Db): Promise<BackupTable[]> {
  const { rows } = await db.query<BackupTable & { needs: string[] }>(
    `select c.relname::text as name,
            array(select a.attname::text from pg_attribute a
                  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                  order by a.attnum) as columns,
            array(select r.relname::text from pg_constraint k join pg_class r on r.oid = k.confrelid
                  where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid) as needs
     from pg_class c
     where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relpersistence = 'p'
       and c.relname <> 'schema_migration'
     order by c.relname`,
  );
  const sorted: BackupTable[] = [];
  let left = rows;
  while (left.length > 0) {
    const waiting = new Set(left.map(({ name }) => name));
    const ready = left.filter(({ needs }) => !needs.some((name) => waiting.has(name)));
    if (ready.length === 0) throw new Error(`Tables refer to each other: ${[...waiting].join(', ')}`);
    sorted.push(...ready.map(({ name, columns }) => ({ name, columns })));
    left = left.filter((table) => !ready.includes(table));
  }
  return sorted;
}

/**
 * Yields the rows of a table in batches, each row as JSON text. The JSON is not parsed here: JavaScript would round
 * large numbers and times.
 */
export async function* readRows(tx: Db, { name, columns }: BackupTable): AsyncGenerator<string[]> {
  await tx.execute(
    `declare backup_rows no scroll cursor for
     select row_to_json(r)::text as line from (select ${quoteAll(columns)} from ${quote(name)}) r`,
  );
  const count = LONG_ROWS.includes(name) ? 1 : ROWS_A_FETCH;
  for (;;) {
    const { rows } = await tx.query<{ line: string }>(`fetch ${count} from backup_rows`);
    if (rows.length === 0) break;
    yield rows.map(({ line }) => line);
  }
  await tx.execute('close backup_rows');
}

/** Inserts rows that `readRows` returned. Identity columns get the numbers from the rows, not new ones. */
export async function createRows(
  tx: Db,
  { name, columns }: BackupTable,
  lines: readonly string[],
): Promise<void> {
  const list = quoteAll(columns);
  await tx.query(
    `insert into ${quote(name)} (${list}) overriding system value
     select ${list} from json_populate_recordset(null::${quote(name)}, $1::text::json)`,
    [`[${lines.join(',')}]`],
  );
}

/**
 * Disables or enables the triggers of a table. A restore disables them, because the restored tally already contains the
 * counts of the restored rows.
 */
export async function setTriggers(tx: Db, { name }: BackupTable, state: 'enable' | 'disable'): Promise<void> {
  await tx.execute(`alter table ${quote(name)} ${state} trigger user`);
}

/** Updates the statistics of a table for the query planner. */
export async function analyzeTable(tx: Db, { name }: BackupTable): Promise<void> {
  await tx.execute(`analyze ${quote(name)}`);
}

/** Returns the identity columns that have generated at least one number. */
export async function listSequences(db: Db): Promise<BackupSequence[]> {
  const { rows } = await db.query<BackupSequence>(
    `select c.relname::text as "table", a.attname::text as "column", s.last_value::text
     from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attidentity <> '' and not a.attisdropped
     join pg_sequences s on s.schemaname = current_schema()
       and format('%I.%I', s.schemaname, s.sequencename) = pg_get_serial_sequence(quote_ident(c.relname), a.attname)
     where c.relnamespace = current_schema()::regnamespace and s.last_value is not null
     order by 1, 2`,
  );
  return rows;
}

/** Sets the sequence of an identity column, so that the next generated number follows `last_value`. */
export async function setSequence(tx: Db, { table, column, last_value }: BackupSequence): Promise<void> {
  await tx.query('select setval(pg_get_serial_sequence(quote_ident($1), $2)::regclass, $3::bigint)', [
    table,
    column,
    last_value,
  ]);
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function quoteAll(names: readonly string[]): string {
  return names.map(quote).join(', ');
}
