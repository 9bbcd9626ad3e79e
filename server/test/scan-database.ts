// Finds texts in all columns of all tables. The catalog names the tables, so a test cannot forget a new one.
import type { Db } from '../src/db/database.ts';

type Column = { table: string; column: string; type: string };

/** Returns every column that can hold a text: text, JSON and arrays of texts. */
export async function listTextColumns(db: Db): Promise<Column[]> {
  const { rows } = await db.query<Column>(
    `select c.table_name::text as table, c.column_name::text as column, c.udt_name::text as type
     from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where t.table_type = 'BASE TABLE' and c.table_schema = current_schema()
       and c.udt_name in ('text', 'varchar', 'bpchar', 'json', 'jsonb', '_text', '_jsonb', 'bytea')
     order by 1, 2`,
  );
  return rows;
}

/**
 * Returns the columns, such as `audit.detail`, whose rows contain one of `texts`. Ignores case. `others` are texts that
 * contain one of `texts` and may stay.
 */
export async function findTexts(
  db: Db,
  texts: readonly string[],
  others: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (const { table, column } of await listTextColumns(db)) {
    const { rows } = await db.query(
      `select 1 from "${table}" where exists (
         select from unnest($1::text[]) wanted (part)
         where position(lower(part) in regexp_replace(lower("${column}"::text), $2, '', 'g')) > 0) limit 1`,
      [texts, others.map((text) => text.toLowerCase().replaceAll('.', '[.]')).join('|')],
    );
    if (rows.length > 0) found.push(`${table}.${column}`);
  }
  return found;
}
