// Finds the stored form of an address (N-303), codes and addresses that look the same (R-MAP-02), and addresses that
// resemble an unknown address.
import { domainToUnicode } from 'node:url';
import { canonicalAddress } from '@portal/contract';
import type { Db } from '../../db/database.ts';
import { rangeOf } from '../../db/prefix-search.sql.ts';

/**
 * Returns a map from the given addresses to their stored forms. If several stored forms match an address, prefers the
 * given form, then the canonical form. Addresses that nobody has are missing in the map.
 */
export async function findStoredEmails(db: Db, addresses: readonly string[]): Promise<Map<string, string>> {
  const forms = [...new Set(addresses)].flatMap((address) =>
    listForms(address).map((form, rank) => ({ address, form, rank })),
  );
  // The lateral subqueries with `offset 0` make the planner look each form up in an index (see
  // `bulk/import-rows.sql.ts`).
  const { rows } = await db.query<{ address: string; email: string }>(
    `select distinct on (address) address, email
     from jsonb_to_recordset($1::jsonb) as given (address text, form text, rank int)
       cross join lateral (
         (select id, email, false as is_odd from app_user where email = form and erased_at is null offset 0)
         union all
         (select id, email, true from app_user
          where octet_length(email) <> char_length(email) and canonical_key(email) = form offset 0)) u
     order by address, is_odd, rank, id`,
    [JSON.stringify(forms)],
  );
  return new Map(rows.map(({ address, email }) => [address, email]));
}

/**
 * Returns true if a stored address has characters other than ASCII. If no stored address has such characters, the
 * canonical form of an address is also its stored form. International domains are an exception.
 */
export async function hasOddEmails(db: Db): Promise<boolean> {
  // `order by` makes the planner use the index of these addresses instead of scanning the table.
  const { rows } = await db.query(
    'select 1 from app_user where octet_length(email) <> char_length(email) order by canonical_key(email) limit 1',
  );
  return rows.length > 0;
}

/** Returns the stored form of the address, or its canonical form if nobody has the address. */
export async function findStoredEmail(db: Db, address: string): Promise<string> {
  return (await findStoredEmails(db, [address])).get(address) ?? canonicalAddress(address);
}

// Returns the forms in which the address may be stored, the most likely form first.
function listForms(address: string): string[] {
  const canonical = canonicalAddress(address);
  const at = canonical.lastIndexOf('@') + 1;
  // `readable` differs from `canonical` only if the domain is international (IDN).
  const readable = canonical.slice(0, at) + (domainToUnicode(canonical.slice(at)) || canonical.slice(at));
  return [...new Set([address, canonical, readable])];
}

/**
 * Returns at most `limit` known addresses that have the same text before the `@` as `email`, or the same text up to a
 * `+` (R-COHORT-18). Addresses without `+` come first; both groups are sorted. `email` must be in lower case.
 */
export async function listSimilarEmails(db: Db, email: string, limit: number): Promise<string[]> {
  const local = email.slice(0, email.lastIndexOf('@'));
  // If the text before the `+` is empty, searches only for the whole text before the `@`. Otherwise all addresses that
  // begin with `+` would match.
  const base = local.split('+', 1)[0];
  const ranges = (base ? [`${base}@`, `${base}+`] : [`${local}@`]).map(rangeOf);
  const { rows } = await db.query<{ email: string }>(
    `select found.email from unnest($1::text[], $2::text[]) with ordinality r (from_text, to_text, n) cross join lateral (
       select u.email from app_user u
       where u.email collate "C" >= r.from_text and u.email collate "C" < r.to_text
       order by u.email collate "C" limit $3) found
     order by r.n, found.email collate "C" limit $3`,
    [ranges.map(({ from }) => from), ranges.map(({ to }) => to), limit],
  );
  return rows.map((row) => row.email);
}

/** Returns the product's codes that look like one of `codes`, which must be in their canonical form. */
export async function listLookalikes(
  db: Db,
  { product_id, codes }: { product_id: string; codes: readonly string[] },
): Promise<string[]> {
  const { rows } = await db.query<{ coupon_code: string }>(
    `select distinct l.coupon_code from unnest($2::text[]) given (code)
       cross join lateral lookalikes($1, given.code) l`,
    [product_id, codes],
  );
  return rows.map(({ coupon_code }) => coupon_code);
}

/** Returns a code of any product that looks like `code`, or null if there is none. */
export async function findLookalike(db: Db, code: string): Promise<string | null> {
  const { rows } = await db.query<{ coupon_code: string }>(
    `select l.coupon_code from product p cross join lateral lookalikes(p.product_id, $1) l
     order by l.id limit 1`,
    [code],
  );
  return rows[0]?.coupon_code ?? null;
}

/** Codes of a product that look the same and are not void. `holders` contains the addresses of people who hold one. */
type Twins = { product: string; codes: string[]; holders: string[] };

/** Returns the codes that look like another code of their product, at most `limit` groups. */
export async function listTwinCodes(db: Db, limit: number): Promise<Twins[]> {
  const { rows } = await db.query<Twins>(
    `with odd as materialized (
       select id, product_id, canonical_key(coupon_code) as text from coupon
       where not shared and octet_length(coupon_code) <> char_length(coupon_code)
     ), alike as (
       select text, id from odd
       union
       select o.text, c.id from odd o
         join coupon c on c.product_id = o.product_id and c.coupon_code = o.text and not c.shared
     )
     select p.name as product, array_agg(c.coupon_code order by c.id) as codes,
       coalesce(array_agg(distinct u.email) filter (where u.id is not null), '{}') as holders
     from alike join coupon c using (id) join product p on p.product_id = c.product_id
       left join app_user u on u.id = c.holder
     where c.voided_at is null
     group by p.product_id, alike.text having count(*) > 1 order by p.name, min(c.id) limit $1`,
    [limit],
  );
  return rows;
}

/** Returns the addresses that look like the address of another person, at most `limit` groups. */
export async function listTwinEmails(db: Db, limit: number): Promise<string[][]> {
  const { rows } = await db.query<{ emails: string[] }>(
    `with odd as (
       select id, canonical_key(email) as text from app_user where octet_length(email) <> char_length(email)
     ), alike as (
       select text, id from odd union select o.text, u.id from odd o join app_user u on u.email = o.text
     )
     select array_agg(u.email order by u.id) as emails from alike join app_user u using (id)
     group by alike.text having count(*) > 1 order by min(u.id) limit $1`,
    [limit],
  );
  return rows.map(({ emails }) => emails);
}
