// Finds stored codes and addresses that look like another text (R-MAP-02, N-303). Earlier versions stored texts as they
// were typed. New texts are in their canonical form, so only stored texts with other characters than ASCII are compared.
import type { Db } from '../../db/database.ts';

// The condition of the indexes coupon_not_ascii and app_user_not_ascii.
const notAscii = (text: string) => `octet_length(${text}) <> char_length(${text})`;

/**
 * SQL of the codes that may be used once, of the product `product`, that look like the text `code` and are another text.
 * Without codes that an upload makes free again: the upload adds the code in its canonical form.
 */
export function lookalikesOf(product: string, code: string): string {
  return `select l.id, l.coupon_code from coupon l
    where l.product_id = ${product} and ${notAscii('l.coupon_code')} and canonical_key(l.coupon_code) = ${code}
      and l.coupon_code <> ${code} and not l.shared and l.void_reason is distinct from 'mistake' offset 0`;
}

/** Returns the stored texts of the product that look like one of `codes`, which must be in their canonical form. */
export async function listLookalikes(
  db: Db,
  { product_id, codes }: { product_id: string; codes: readonly string[] },
): Promise<string[]> {
  const { rows } = await db.query<{ coupon_code: string }>(
    `select distinct l.coupon_code from unnest($2::text[]) given (code)
       cross join lateral (${lookalikesOf('$1', 'given.code')}) l`,
    [product_id, codes],
  );
  return rows.map(({ coupon_code }) => coupon_code);
}

/** Returns a stored text of any product that looks like `code`; null if there is none. */
export async function findLookalike(db: Db, code: string): Promise<string | null> {
  const { rows } = await db.query<{ coupon_code: string }>(
    `select l.coupon_code from product p cross join lateral (${lookalikesOf('p.product_id', '$1')}) l
     order by l.id limit 1`,
    [code],
  );
  return rows[0]?.coupon_code ?? null;
}

/** Codes of a product that look the same and are not void. `holders` has the addresses of those who hold one. */
export type Twins = { product: string; codes: string[]; holders: string[] };

/** Returns the codes that look like another code of their product, at most `limit` groups. */
export async function listTwinCodes(db: Db, limit: number): Promise<Twins[]> {
  const { rows } = await db.query<Twins>(
    `with odd as materialized (
       select id, product_id, canonical_key(coupon_code) as text from coupon
       where not shared and ${notAscii('coupon_code')}
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
       select id, canonical_key(email) as text from app_user where ${notAscii('email')}
     ), alike as (
       select text, id from odd union select o.text, u.id from odd o join app_user u on u.email = o.text
     )
     select array_agg(u.email order by u.id) as emails from alike join app_user u using (id)
     group by alike.text having count(*) > 1 order by min(u.id) limit $1`,
    [limit],
  );
  return rows.map(({ emails }) => emails);
}
