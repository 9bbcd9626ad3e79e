// SQL that reads and writes whole tables as text, for backups. The names of tables and columns come from PostgreSQL's
// system catalogue. Also SQL that lists and deletes old audit lines, for the command `audit prune` (R-TRAIL-61).
import type { Db } from '../db/database.ts';
import { beginReading } from '../db/deployment.sql.ts';

/** A table and its columns, without generated columns, which the database computes again at a restore. */
export type BackupTable = { name: string; columns: string[] };

/** An identity column and the last number that it generated. */
export type BackupSequence = { table: string; column: string; last_value: string };

const ROWS_A_FETCH = 1_000;
/** Tables whose rows are read one by one, because a row may contain the text of a whole file or a picture. */
const LONG_ROWS = ['bulk_job', 'import_source', 'product_logo'];

/**
 * Makes all statements of the transaction `tx` read the same snapshot, and removes the time-outs of the transaction.
 * Must be the first statement of the transaction.
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
 * Returns the tables of the schema, each table after the tables that its foreign keys reference. Leaves out unlogged
 * tables, whose rows may be lost, and `schema_migration`, which the migrations fill at a restore.
 * @throws Error if the foreign keys form a cycle.
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
 * Yields the rows of a table in batches, each row as JSON text. JavaScript would round large numbers if it parsed them.
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

/** Inserts rows that `readRows` returned. Identity columns get the numbers in the rows, not new numbers. */
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

export async function setTriggers(tx: Db, { name }: BackupTable, state: 'enable' | 'disable'): Promise<void> {
  await tx.execute(`alter table ${quote(name)} ${state} trigger user`);
}

/** Updates the planner statistics of a table. */
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

/** Makes the number after `last_value` the next generated number of an identity column. */
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

/** Returns the highest id of an audit line before the moment `before`; null if there is none. */
export async function findLastOldId(db: Db, before: Date): Promise<string | null> {
  const { rows } = await db.query<{ id: string | null }>('select max(id) as id from audit where at < $1', [
    before,
  ]);
  return rows[0]?.id ?? null;
}

/**
 * Returns at most `limit` audit lines before the moment `before`, in the order of their ids, from above `after` to
 * `last`. `json` has all columns of the line, and the current address of the person and name of the product. Leaves out
 * lines about codes that somebody holds now, because these lines show how the person got the code.
 */
export async function listOldLines(
  db: Db,
  { before, after, last, limit }: { before: Date; after: string; last: string; limit: number },
): Promise<{ id: string; json: string }[]> {
  const { rows } = await db.query<{ id: string; json: string }>(
    `select a.id, (to_jsonb(a) || jsonb_build_object('email', u.email, 'product', p.name))::text as json
     from (
       select * from audit a
       where id > $1 and id <= $4 and at < $2 and not exists (
         select from coupon c where c.id = a.coupon_id and c.holder is not null and c.revoked_at is null)
       order by id limit $3
     ) a
     left join app_user u on u.id = a.user_id
     left join product p on p.product_id = a.product_id
     order by a.id`,
    [after, before, limit, last],
  );
  return rows;
}

/**
 * Deletes those audit lines in `ids` that `listOldLines` would return, and returns the number of deleted lines. `tx`
 * must be a transaction: the setting `portal.prune_audit_before`, which ends with the transaction, makes the trigger of
 * the table `audit` accept the deletion.
 */
export async function deleteOldLines(
  tx: Db,
  { before, ids }: { before: Date; ids: readonly string[] },
): Promise<number> {
  await tx.query("select set_config('portal.prune_audit_before', $1, true)", [before.toISOString()]);
  const { rowCount } = await tx.query(
    `delete from audit a
     where id = any($1::bigint[]) and at < $2 and not exists (
       select from coupon c where c.id = a.coupon_id and c.holder is not null and c.revoked_at is null)`,
    [ids, before],
  );
  return rowCount;
}
