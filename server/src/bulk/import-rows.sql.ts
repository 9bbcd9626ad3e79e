// Stores rows of a file for a download after the import: invalid rows, duplicates, and rows with a generated code. Also
// looks up which rows of a file the database has already.
import type { ImportPreview, RowError } from '@portal/contract';
import type { Db } from '../db/database.ts';
import type { NewGrants } from '../features/access/access.sql.ts';
import type { Importer } from '../features/log/audit.sql.ts';

/**
 * A row of a file. `cells` are its texts, in the order of `columnsOf` (read-file.ts). `message` is the reason why the
 * row is invalid or a duplicate.
 */
export type ListedRow = Omit<RowError, 'content'> & { cells: string[] };
type ListedKind = 'error' | 'duplicate' | 'generated';

/** Maximum number of duplicates that are stored for an import (R-IMP-16). */
const DUPLICATES_MAX = 100_000;

export async function createImportErrors(db: Db, id: string, errors: readonly ListedRow[]): Promise<void> {
  await db.query(
    `insert into import_error (import_id, row, message, cells)
     select $1, (e ->> 'row')::int, e ->> 'message', array(select jsonb_array_elements_text(e -> 'cells'))
     from jsonb_array_elements($2::jsonb) as e`,
    [id, JSON.stringify(errors)],
  );
}

/**
 * Stores rows of one kind, which staff can download after the import. Stores at most DUPLICATES_MAX duplicates of an
 * import.
 */
export async function createImportRows(
  db: Db,
  id: string,
  kind: Exclude<ListedKind, 'error'>,
  rows: readonly ListedRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await db.query(
    `insert into import_row (import_id, kind, row, message, cells)
     select $1, $2, (e ->> 'row')::int, e ->> 'message', array(select jsonb_array_elements_text(e -> 'cells'))
     from jsonb_array_elements($3::jsonb) as e
     limit case when $2 = 'duplicate'
       then greatest($4 - (select duplicates from bulk_job where id = $1), 0) end`,
    [id, kind, JSON.stringify(rows), DUPLICATES_MAX],
  );
}

/** Returns at most `limit` stored rows of one kind, in the order of the file. Begins after the line number `after`. */
export async function listImportRows(
  db: Db,
  id: string,
  kind: ListedKind,
  { after, limit }: { after: number; limit: number },
): Promise<ListedRow[]> {
  const { rows } = await db.query<ListedRow>(
    kind === 'error'
      ? 'select row, message, cells from import_error where import_id = $1 and row > $2 order by row limit $3'
      : `select row, message, cells from import_row where import_id = $1 and row > $2 and kind = $4
         order by row limit $3`,
    kind === 'error' ? [id, after, limit] : [id, after, limit, kind],
  );
  return rows;
}

export async function countFileRows(db: Db, id: string, kind: ListedKind): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    kind === 'error'
      ? 'select count(*)::int as count from import_error where import_id = $1'
      : 'select count(*)::int as count from import_row where import_id = $1 and kind = $2',
    kind === 'error' ? [id] : [id, kind],
  );
  return rows[0]?.count ?? 0;
}

// The next statements look each value up in an index by a lateral subquery. `offset 0` prevents that the planner merges
// the subquery into the query. With a condition `= any(…)` instead, the planner may compare each row of the table with
// each value.

type KnownPerson = { id: string; email: string; name: string | null; is_team: boolean; is_member: boolean };

/**
 * Returns the users who have one of the addresses. `is_team` is true for members of the team. `is_member` is false for
 * everybody if `cohort_id` is null.
 */
export async function listKnownPeople(
  db: Db,
  { emails, cohort_id }: { emails: readonly string[]; cohort_id: string | null },
): Promise<KnownPerson[]> {
  const { rows } = await db.query<KnownPerson>(
    `select u.id, u.email, u.name, u.team_role is not null as is_team, $2::uuid is not null and exists (
       select from cohort_member m where m.cohort_id = $2 and m.user_id = u.id offset 0) as is_member
     from unnest($1::text[]) as given (email)
       cross join lateral (select id, email, name, team_role from app_user where email = given.email offset 0) u`,
    [[...new Set(emails)], cohort_id],
  );
  return rows;
}

/** Returns the keys (`keyOfProduct`) of the given products that exist already and are not archived. */
export async function listKnownProducts(
  db: Db,
  products: readonly { name: string; url: string }[],
): Promise<Set<string>> {
  const { rows } = await db.query<{ name: string; url: string }>(
    `select distinct p.name, p.url from product p
     join jsonb_to_recordset($1::jsonb) as given (name text, url text) on given.name = p.name and given.url = p.url
     where p.archived_at is null`,
    [JSON.stringify(products.map(({ name, url }) => ({ name, url })))],
  );
  return new Set(rows.map(keyOfProduct));
}

/** Returns a text that is equal only for products with the same name and url. */
export function keyOfProduct({ name, url }: { name: string; url: string }): string {
  return JSON.stringify([name, url]);
}

/**
 * Returns the codes that the product has already. The value is 'taken' for a code that an import skips, and 'void' for
 * a code that an import makes free again. With `shared`, returns only void codes, because a shared code may be uploaded
 * several times. A void shared code is 'taken' if it can never become free again.
 */
export async function listKnownCodes(
  db: Db,
  { product_id, shared, codes }: { product_id: string; shared: boolean; codes: readonly string[] },
): Promise<Map<string, 'void' | 'taken'>> {
  const { rows } = await db.query<{ coupon_code: string; is_void: boolean }>(
    shared
      ? `select code as coupon_code, bool_and(void_reason = 'mistake') as is_void
         from unnest($2::text[]) as given (code) cross join lateral (
           select void_reason from coupon
           where product_id = $1 and coupon_code = given.code and shared and voided_at is not null
             and void_reason <> 'expired' offset 0) c
         group by code`
      : `select code as coupon_code, void_reason is not distinct from 'mistake' as is_void
         from unnest($2::text[]) as given (code) cross join lateral (
           select void_reason from coupon
           where product_id = $1 and coupon_code = given.code and not shared offset 0) c
         union
         select given.code, false from unnest($2::text[]) as given (code)
           cross join lateral lookalikes($1, given.code) l`,
    [product_id, [...new Set(codes)]],
  );
  // A code can have two rows: one for the code itself, and one because the code looks like another code of the product.
  // If the values of the two rows differ, 'taken' replaces 'void'.
  const sorted = rows.toSorted((one, other) => Number(other.is_void) - Number(one.is_void));
  return new Map(sorted.map(({ coupon_code, is_void }) => [coupon_code, is_void ? 'void' : 'taken']));
}

/** Returns the codes that differ from a code of the product only in upper and lower case. */
export async function listCaseTwins(
  db: Db,
  { product_id, codes }: { product_id: string; codes: readonly string[] },
): Promise<Set<string>> {
  const { rows } = await db.query<{ code: string }>(
    `select distinct given.code from unnest($2::text[]) as given (code) cross join lateral (
       select from coupon c
       where code_letters(c.coupon_code) collate "C" = code_letters(given.code) collate "C" and c.product_id = $1
         and lower(c.coupon_code) = lower(given.code) and c.coupon_code <> given.code offset 0) c`,
    [product_id, codes],
  );
  return new Set(rows.map(({ code }) => code));
}

/**
 * Returns the number of grants that an import would count as new (see `grantAccess`). Each pair of a person and a
 * product counts, unless the person already has a grant of the product. If that grant has ended, the pair does not count
 * only if the import gives exactly the days of the grant.
 */
export async function countNewGrants(
  db: Db,
  grants: Omit<NewGrants, keyof Importer> & { emails: readonly string[] },
): Promise<number> {
  const { emails, product_ids, starts_on, ends_on, today } = grants;
  const { rows } = await db.query<{ standing: number }>(
    `select count(*)::int as standing
     from unnest($1::text[]) as given (email)
       cross join lateral (select id from app_user where email = given.email offset 0) u
       cross join lateral (
         select 1 from access_grant g
         where g.user_id = u.id and g.product_id = any($2::uuid[]) and g.withdrawn_at is null and g.purchase_id is null
           and not (coalesce(g.ends_on < $5::date, false)
             and (g.starts_on, g.ends_on) is distinct from ($3::date, $4::date)) offset 0) standing`,
    [emails, product_ids, starts_on, ends_on, today],
  );
  return emails.length * product_ids.length - (rows[0]?.standing ?? 0);
}

/** Returns for each other product how many of the codes it has. Leaves out products that have none of the codes. */
export async function countElsewhere(
  db: Db,
  product_id: string,
  codes: readonly string[],
): Promise<ImportPreview['elsewhere']> {
  // The subqueries look each code up in the index. With a join, the planner might read all codes of a product.
  const { rows } = await db.query<ImportPreview['elsewhere'][number]>(
    `select p.product_id, p.name, count(*)::int as count
     from product p cross join lateral (
       select code from unnest($2::text[]) as given (code)
       where case when p.shared_coupon then exists (
         select from coupon c where c.product_id = p.product_id and c.coupon_code = given.code and c.shared offset 0)
       else exists (
         select from coupon c where c.product_id = p.product_id and c.coupon_code = given.code and not c.shared offset 0)
       end) hits
     where p.product_id <> $1
     group by p.product_id order by count desc, p.name, p.product_id`,
    [product_id, codes],
  );
  return rows;
}
