// Describes the schema of a database as SQL text, from the system catalog of PostgreSQL.
import type { Db } from '../src/db/database.ts';

/** An object of the schema. Objects have ascending `oid` in the order in which they were created. */
type Described = { oid: number; sql: string; comment: string | null };

export const SCHEMA_FILE = new URL('../schema/schema.sql', import.meta.url);

const HEAD = `-- The present schema: what the migrations make, in the order in which they create it. Generated from the catalog of a new
-- database by \`npm run schema\`; do not edit it. The comments are those of the catalog.
`;
const WIDTH = 118;

/**
 * Returns the schema as SQL statements, in the order in which the objects were created: types, tables with their columns
 * and constraints, views, indexes, functions and triggers. The comments of the catalog become SQL comments. Omits
 * `schema_migration`, owners and privileges.
 */
export async function describeSchema(db: Db): Promise<string> {
  const objects = await listObjects(db);
  return [HEAD, ...objects.map(({ sql, comment }) => `${writeComment(comment)}${makeReadable(sql)}\n`)].join(
    '\n',
  );
}

/** Returns each object of the schema as a text without comments, sorted by text. Equal schemas give equal lists. */
export async function listSchemaObjects(db: Db): Promise<string[]> {
  return (await listObjects(db, { isSet: true })).map(({ sql }) => sql).sort();
}

/** With `isSet`, omits comments and everything that depends on the order of creation. */
async function listObjects(db: Db, { isSet = false } = {}): Promise<Described[]> {
  const { rows: unknown } = await db.query(UNKNOWN);
  if (unknown.length > 0) throw new Error(`cannot describe ${JSON.stringify(unknown)}`);
  const { rows } = await db.query<Described>(OBJECTS, [isSet]);
  const tables = await listTables(db, isSet);
  return [...rows, ...tables].sort((a, b) => a.oid - b.oid);
}

/** Shortens PostgreSQL's long notation, but not in bodies of functions and comments. */
function makeReadable(sql: string): string {
  const [head = sql, body] = sql.split(/AS \$(?:function|procedure)\$|\$(?:function|procedure)\$;$/);
  const text = head
    .replaceAll(/--.*|'(?:[^']|'')*'|\b[A-Z]{2,}\b/g, (word) =>
      /^[A-Z]/.test(word) ? word.toLowerCase() : word,
    )
    .replaceAll('timestamp with time zone', 'timestamptz')
    .replaceAll(/'::(?:text|jsonb|date|uuid\[\]|audit_way|timestamptz)(?!\w)/g, "'")
    .replaceAll(/ = any \(array\[(.*?)\]\)/g, ' in ($1)')
    .replaceAll(/ <> all \(array\[(.*?)\]\)/g, ' not in ($1)')
    .replaceAll(' using btree', '');
  if (body !== undefined) return `${text.trim().replaceAll(/\n */g, ' ')} as $$${body}$$;`;
  return text.startsWith('create trigger')
    ? text.replace(/ (for each .*?)( when .*)?( execute .*)/, '\n  $1$2\n $3')
    : text;
}

function writeComment(comment: string | null, indent = ''): string {
  if (comment === null) return '';
  const lines = [];
  let line = `${indent}--`;
  for (const word of comment.split(/\s+/)) {
    if (line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = `${indent}--`;
    }
    line += ` ${word}`;
  }
  return `${[...lines, line].join('\n')}\n`;
}

type Table = { oid: number; head: string; options: string; comment: string | null };
type Part = { oid: number; sql: string; comment: string | null };

async function listTables(db: Db, isSet: boolean): Promise<Described[]> {
  const { rows: tables } = await db.query<Table>(TABLES);
  const { rows: columns } = await db.query<Part>(COLUMNS);
  const { rows: constraints } = await db.query<Part>(CONSTRAINTS, [isSet]);
  return tables.map(({ oid, head, options, comment }) => {
    const parts = [...columns, ...constraints].filter((part) => part.oid === oid);
    const lines = parts.map((part, at) => {
      const line = `  ${part.sql}${at < parts.length - 1 ? ',' : ''}`;
      if (part.comment === null || isSet) return `${line}\n`;
      const short = `${line}  -- ${part.comment.replaceAll(/\s+/g, ' ')}`;
      return short.length <= WIDTH ? `${short}\n` : `${writeComment(part.comment, '  ')}${line}\n`;
    });
    return { oid, sql: `${head} (\n${lines.join('')})${options};`, comment };
  });
}

const IN_SCHEMA = `= current_schema()::regnamespace`;

// Kinds of objects that the statements below do not read.
const UNKNOWN = `
  select relkind::text as kind, relname::text as name from pg_class c
  where relnamespace ${IN_SCHEMA} and relkind not in ('r', 'v', 'i', 'S')
  union all
  select 'type ' || typtype::text, typname from pg_type
  where typnamespace ${IN_SCHEMA} and typtype not in ('e', 'c', 'b')
  union all
  select 'function ' || prokind::text, proname from pg_proc where pronamespace ${IN_SCHEMA} and prokind not in ('f', 'p')
  union all
  select 'sequence without an identity column', c.relname from pg_class c
  where relnamespace ${IN_SCHEMA} and relkind = 'S' and not exists (
    select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'i')
  union all
  select 'rule', rulename from pg_rewrite r join pg_class c on c.oid = r.ev_class
  where relnamespace ${IN_SCHEMA} and rulename <> '_RETURN'
  union all
  select 'policy', polname from pg_policy
  union all
  select 'statistics', stxname from pg_statistic_ext where stxnamespace ${IN_SCHEMA}`;

const OBJECTS = `
  select t.oid::int, format('create type %I as enum (%s);', typname,
      (select string_agg(quote_literal(enumlabel), ', ' order by enumsortorder) from pg_enum where enumtypid = t.oid)) as sql,
    obj_description(t.oid, 'pg_type') as comment
  from pg_type t where typnamespace ${IN_SCHEMA} and typtype = 'e'
  union all
  select c.oid::int, format(e'create view %I as\\n%s', relname, pg_get_viewdef(c.oid, true)), obj_description(c.oid, 'pg_class')
  from pg_class c where relnamespace ${IN_SCHEMA} and relkind = 'v'
  union all
  select c.oid::int, replace(pg_get_indexdef(c.oid, 0, true), 'CREATE', 'create') || ';', obj_description(c.oid, 'pg_class')
  from pg_class c where relnamespace ${IN_SCHEMA} and relkind = 'i' and relname <> 'schema_migration_pkey'
    and not exists (select from pg_constraint k where k.conindid = c.oid and k.contype in ('p', 'u', 'x'))
  union all
  select p.oid::int, regexp_replace(rtrim(pg_get_functiondef(p.oid), e'\\n'), '^CREATE OR REPLACE (\\w+) \\w+\\.', 'CREATE \\1 ') || ';',
    obj_description(p.oid, 'pg_proc')
  from pg_proc p where pronamespace ${IN_SCHEMA}
  union all
  select t.oid::int, pg_get_triggerdef(t.oid, true) || ';' || case when tgenabled <> 'O' then ' -- ' || tgenabled::text else '' end,
    obj_description(t.oid, 'pg_trigger')
  from pg_trigger t join pg_class c on c.oid = t.tgrelid where relnamespace ${IN_SCHEMA} and not tgisinternal
  union all
  -- Foreign keys to tables that were created later.
  select k.oid::int, format('alter table %s add constraint %I %s;', k.conrelid::regclass, conname, pg_get_constraintdef(k.oid, true)), null
  from pg_constraint k where connamespace ${IN_SCHEMA} and contype = 'f' and (confrelid > conrelid or $1)
  union all
  select c.oid::int, format('alter table %I alter column %I set storage %s;', relname, attname,
      case attstorage when 'p' then 'plain' when 'e' then 'external' when 'x' then 'extended' else 'main' end)
      || case when attcompression <> '' or attstattarget >= 0 or attoptions is not null
         then format(' -- %s %s %s', attcompression, attstattarget, attoptions) else '' end, null
  from pg_class c join pg_attribute a on a.attrelid = c.oid join pg_type t on t.oid = a.atttypid
  where relnamespace ${IN_SCHEMA} and relkind = 'r' and attnum > 0 and not attisdropped
    and (attstorage <> typstorage or attcompression <> '' or attstattarget >= 0 or attoptions is not null)`;

const TABLES = `
  select c.oid::int, format('create %stable %I', case relpersistence when 'u' then 'unlogged ' else '' end, relname) as head,
    coalesce(' with (' || array_to_string(reloptions, ', ') || ')', '')
      || coalesce((select ' toast: ' || array_to_string(t.reloptions, ', ') from pg_class t where t.oid = c.reltoastrelid and t.reloptions is not null), '')
      || case when relreplident <> 'd' or relrowsecurity then ' /* replica identity or row security */' else '' end as options,
    obj_description(c.oid, 'pg_class') as comment
  from pg_class c where relnamespace ${IN_SCHEMA} and relkind = 'r' and relname <> 'schema_migration'`;

const COLUMNS = `
  select c.oid::int, concat_ws(' ', quote_ident(attname), format_type(atttypid, atttypmod),
      case when attcollation <> typcollation then 'collate ' || attcollation::regcollation end,
      case when attnotnull then 'not null' end,
      case attidentity when 'a' then 'generated always as identity' when 'd' then 'generated by default as identity' end,
      case when attidentity <> '' and (seqrelid::regclass::text <> format('%s_%s_seq', relname, attname)
          or (seqstart, seqincrement, seqmin, seqcache, seqcycle) is distinct from (1::bigint, 1::bigint, 1::bigint, 1::bigint, false))
        then format('(%s start %s increment %s minimum %s cache %s cycle %s)', seqrelid::regclass, seqstart, seqincrement, seqmin, seqcache, seqcycle) end,
      case when attgenerated = 's' then format('generated always as (%s) stored', pg_get_expr(adbin, adrelid))
           when attgenerated = '' then 'default ' || pg_get_expr(adbin, adrelid) end) as sql,
    col_description(c.oid, attnum) as comment
  from pg_class c join pg_attribute a on a.attrelid = c.oid join pg_type t on t.oid = a.atttypid
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = attnum
  left join pg_depend o on o.refclassid = 'pg_class'::regclass and o.refobjid = c.oid and o.refobjsubid = attnum
    and o.classid = 'pg_class'::regclass and o.deptype = 'i'
  left join pg_sequence s on s.seqrelid = o.objid
  where relnamespace ${IN_SCHEMA} and relkind = 'r' and attnum > 0 and not attisdropped
  order by c.oid, attnum`;

// Since version 18, PostgreSQL also lists `not null` as constraints.
const CONSTRAINTS = `
  select conrelid::int as oid, format('constraint %I %s', conname, regexp_replace(pg_get_constraintdef(k.oid, true), '\\s+', ' ', 'g')) as sql,
    obj_description(k.oid, 'pg_constraint') as comment
  from pg_constraint k join pg_class c on c.oid = conrelid
  where connamespace ${IN_SCHEMA} and relname <> 'schema_migration'
    and not (contype = 'f' and (confrelid > conrelid or $1))
    and not (contype = 'n' and conname = format('%s_%s_not_null', relname, (select attname from pg_attribute where attrelid = conrelid and attnum = conkey[1])))
  order by conrelid, array_position('{p,u,x,f,c,n}'::"char"[], contype), k.oid`;
