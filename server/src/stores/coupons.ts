// Lists and searches coupons.
import type { Coupon, FoundPerson } from '@portal/contract';
import { sqlColumns } from '../db/columns.ts';
import type { Db } from '../db/database.ts';
import {
  COUNTED_MATCHES,
  countedMatches,
  cursorOf,
  findPrefixRange,
  idOfCursor,
  type Page,
  type Place,
  type PrefixRange,
  searchParts,
  type Total,
  toExactRange,
} from './prefix-search.ts';

export type CouponFilter = {
  product_id?: string | undefined;
  status?: keyof typeof CODE_STATES | undefined;
};

/**
 * The states by which the list of codes can be filtered, with the numbers that the SQL function `coupon_state` returns
 * (see migration 0011).
 */
export const CODE_STATES = { available: 0, assigned: 1, revoked: 2, void: 3 };

/**
 * Returns SQL that computes the state of a code as a number. The list indexes contain this expression. `coupon` is a
 * table alias.
 */
export const stateOf = (coupon: string) =>
  `coupon_state(${coupon}.holder, ${coupon}.revoked_at, ${coupon}.voided_at)`;

const COUPON_COLUMNS = sqlColumns<Omit<Coupon, 'email' | 'state' | 'use_by'>>({
  id: true,
  coupon_code: true,
  product_id: true,
  assigned_at: true,
  usage_limit: true,
  batch_id: true,
}).of('c');
const STATE = `(array['free', 'held', 'revoked', 'void'])[${stateOf('c')} + 1]`;
/**
 * SQL of the columns of a coupon, as the API returns them. `c` is the alias of the coupon and `u` of its holder, who
 * may be missing.
 */
export const COUPON = `${COUPON_COLUMNS}, ${STATE} as state,
  nullif(c.use_by, 'infinity') as use_by, u.email`;
// SQL that selects all combinations of product and state that match the filter. An index is sorted by product, then by
// state, then as the list of codes. So the codes of one combination are read from it without sorting.
const SLICES = `(
  select p.product_id, s.state from product p cross join generate_series(0, 3) s (state)
  where ($1::uuid is null or p.product_id = $1) and ($2::integer is null or s.state = $2)) slice`;
// Maximum number of users that a search by address considers. A thousand is enough: to find one person, people type
// more letters.
const MAX_ADDRESSES = 1_000;
const CODE = 'lower(c.coupon_code) collate "C"';
const CODE_MATCHES = `${CODE} >= $3 and ${CODE} < $4`;

/**
 * A search. With `isExact`, it finds codes only by their whole text. A search by the beginning would let the caller spell
 * a hidden code out, one letter after the other (R-IMP-43).
 */
export type CouponSearch = CouponFilter & { q: string; isExact?: boolean };
type Ranges = { codes: PrefixRange; addresses: PrefixRange };

async function findRanges(db: Db, { q, isExact = false }: CouponSearch): Promise<Ranges> {
  const addresses = await findPrefixRange(db, q);
  return { codes: isExact ? toExactRange(addresses) : addresses, addresses };
}

function sliceParams({ product_id, status }: CouponFilter): unknown[] {
  return [product_id ?? null, status ? CODE_STATES[status] : null];
}

/** Returns one page of coupons, newest first. `product_id` must be a UUID. */
export async function listCoupons(
  db: Db,
  { limit, after, isExport, ...filter }: CouponFilter & Page,
): Promise<Coupon[]> {
  if (isExport || (!filter.product_id && !filter.status)) return walkCoupons(db, { limit, after, ...filter });
  const { rows } = await db.query<Coupon>(
    `select ${COUPON} from ${SLICES}
     cross join lateral (
       select * from coupon c
       where c.product_id = slice.product_id and ${stateOf('c')} = slice.state
         and -c.id > coalesce(-$4::bigint, -9223372036854775807)
       order by -c.id limit $3
     ) c left join app_user u on u.id = c.holder
     order by c.id desc limit $3`,
    [...sliceParams(filter), limit, idOfCursor(after)],
  );
  return rows;
}

// Reads the codes in the order of their ids. For an export, or a list without a filter, one such query is faster than
// one query for each product and state.
async function walkCoupons(db: Db, { limit, after, ...filter }: CouponFilter & Page): Promise<Coupon[]> {
  const { rows } = await db.query<Coupon>(
    `select ${COUPON} from coupon c left join app_user u on u.id = c.holder
     where c.id < coalesce($4::bigint, 9223372036854775807)
       and ($1::uuid is null or c.product_id = $1) and ($2::integer is null or ${stateOf('c')} = $2)
     order by c.id desc limit $3`,
    [...sliceParams(filter), limit, idOfCursor(after)],
  );
  return rows;
}

/**
 * Returns one page of the coupons that match `q`, ignoring case. First come coupons whose code begins with `q`, or with
 * `isExact` is `q`, sorted by code. Then come coupons whose holder's address begins with `q`, sorted by address.
 * The search by address considers only the first MAX_ADDRESSES users whose address matches. Users without codes count
 * towards this limit.
 * `product_id` must be a UUID.
 */
export async function searchCoupons(
  db: Db,
  { limit, after, ...search }: CouponSearch & Page,
): Promise<Coupon[]> {
  const ranges = await findRanges(db, search);
  const { product_id, status } = search;
  return searchParts(ranges.addresses, { limit, after }, [
    (part) => searchByCode(db, { product_id, status, ...part, ...ranges }),
    // Free and void codes have no holder, so the search by the holder's address cannot find them.
    async (part) =>
      status === 'available' || status === 'void'
        ? []
        : searchByAddress(db, { product_id, status, ...part, ...ranges }),
  ]);
}

type Search = CouponFilter & Ranges & { from: Place; limit: number };

async function searchByCode(db: Db, { codes, limit, from, ...filter }: Search): Promise<Coupon[]> {
  const { rows } = await db.query<Coupon>(
    `select ${COUPON}, ${cursorOf(0, { text: CODE, id: 'c.id' })} as cursor from ${SLICES}
     cross join lateral (
       select * from coupon c
       where c.product_id = slice.product_id and ${stateOf('c')} = slice.state
         and (${CODE}, c.id) > ($5 collate "C", $6::bigint) and ${CODE_MATCHES}
       order by ${CODE}, c.id limit $7
     ) c left join app_user u on u.id = c.holder
     order by ${CODE}, c.id limit $7`,
    [...sliceParams(filter), codes.from, codes.to, from.text, from.id, limit],
  );
  return rows;
}

// Skips coupons whose code also matches the searched text, because the search by code returns these coupons. Uses the
// range of the codes for that: with the range of the addresses, a missing coupon would tell how its code begins.
async function searchByAddress(
  db: Db,
  { codes, addresses, limit, from, product_id, status }: Search,
): Promise<Coupon[]> {
  const { rows } = await db.query<Coupon>(
    `select ${COUPON}, ${cursorOf(1, { text: 'u.email', id: 'c.id' })} as cursor from (
       select * from app_user u where u.email collate "C" >= greatest($5 collate "C", $2) and u.email collate "C" < $3
       order by u.email collate "C", u.id limit ${MAX_ADDRESSES}
     ) u cross join lateral (
       select * from coupon c
       where c.holder = u.id and ($1::uuid is null or c.product_id = $1)
         and ($7::integer is null or ${stateOf('c')} = $7)
         and (u.email collate "C", c.id) > ($5 collate "C", $6::bigint)
         and not (${CODE} >= $8 and ${CODE} < $9)
       order by c.id limit $4
     ) c
     order by u.email collate "C", c.id limit $4`,
    [
      ...[product_id ?? null, addresses.from, addresses.to, limit, from.text, from.id],
      ...[status ? CODE_STATES[status] : null, codes.from, codes.to],
    ],
  );
  return rows;
}

/** Returns the number of coupons that `searchCoupons` finds, up to COUNTED_MATCHES. */
export async function countFoundCoupons(db: Db, search: CouponSearch): Promise<Total> {
  const { codes, addresses } = await findRanges(db, search);
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from (
       (select 1 from ${SLICES} cross join lateral (
          select 1 from coupon c
          where c.product_id = slice.product_id and ${stateOf('c')} = slice.state and ${CODE_MATCHES} limit $5) c
        limit $5)
       union all
       (select 1 from (
          select * from app_user u
          where ($2::integer is null or $2 in (1, 2)) and u.email collate "C" >= $6 and u.email collate "C" < $7
          order by u.email collate "C", u.id limit ${MAX_ADDRESSES}
        ) u cross join lateral (
          select 1 from coupon c
          where c.holder = u.id and ($1::uuid is null or c.product_id = $1)
            and ($2::integer is null or ${stateOf('c')} = $2) and not (${CODE_MATCHES})
          order by c.holder, c.id limit $5) c
        limit $5)
     ) found`,
    [
      ...[...sliceParams(search), codes.from, codes.to],
      ...[COUNTED_MATCHES + 1, addresses.from, addresses.to],
    ],
  );
  return countedMatches(rows[0]?.count ?? 0);
}

// The generated codes `g` that match the filter. Unless $3 is null, their text or the address of their holder is also in
// the searched range.
const GENERATED = `generated_code g join coupon c on c.id = g.coupon_id left join app_user u on u.id = c.holder
  where ($1::uuid is null or c.product_id = $1) and ($2::integer is null or ${stateOf('c')} = $2)
    and ($3::text is null or (${CODE_MATCHES})
      or (u.email collate "C" >= $5 and u.email collate "C" < $6))`;

async function generatedParams(db: Db, search: CouponSearch): Promise<unknown[]> {
  if (search.q === '') return [...sliceParams(search), null, null, null, null];
  const { codes, addresses } = await findRanges(db, search);
  return [...sliceParams(search), codes.from, codes.to, addresses.from, addresses.to];
}

/**
 * Returns one page of the codes that the portal generated and that match the filter and `q`, newest first (R-IMP-15).
 * Reads all generated codes until the page is full: they are few among the codes of partners.
 */
export async function listGenerated(
  db: Db,
  { limit, after, ...search }: CouponSearch & Page,
): Promise<Coupon[]> {
  const { rows } = await db.query<Coupon>(
    `select ${COUPON} from ${GENERATED} and g.coupon_id < coalesce($7::bigint, 9223372036854775807)
     order by g.coupon_id desc limit $8`,
    [...(await generatedParams(db, search)), idOfCursor(after), limit],
  );
  return rows;
}

/** Returns the number of codes that `listGenerated` finds. */
export async function countGenerated(db: Db, search: CouponSearch): Promise<Total> {
  const { rows } = await db.query<{ total: number }>(
    `select count(*)::int as total from ${GENERATED}`,
    await generatedParams(db, search),
  );
  return { total: rows[0]?.total ?? 0, atLeast: false };
}

/** A code with its product and the person to whom it is assigned. `holder` is null if it is assigned to nobody. */
export type FoundCoupon = {
  id: string;
  coupon_code: string;
  state: Coupon['state'];
  product: { product_id: string; name: string };
  holder: FoundPerson | null;
};

/**
 * Returns the codes whose whole text is `code`, ignoring case, at most two. Codes that somebody holds come first, then
 * free, revoked and void codes. There are several such codes if products have the same code, or a product's shared code
 * has several holders.
 */
export async function findCoupons(db: Db, code: string): Promise<FoundCoupon[]> {
  const exact = toExactRange(await findPrefixRange(db, code));
  const { rows } = await db.query<FoundCoupon>(
    `select c.id, c.coupon_code, ${STATE} as state,
       jsonb_build_object('product_id', p.product_id, 'name', p.name) as product,
       case when u.id is not null then jsonb_build_object('user_id', u.user_id, 'email', u.email, 'name', u.name) end
         as holder
     from ${SLICES} cross join lateral (
       select * from coupon c
       where c.product_id = slice.product_id and ${stateOf('c')} = slice.state and ${CODE_MATCHES}
       order by ${CODE}, c.id limit 2
     ) c join product p on p.product_id = c.product_id left join app_user u on u.id = c.holder
     order by array_position(array[1, 0, 2, 3], ${stateOf('c')}), c.id limit 2`,
    [...sliceParams({}), exact.from, exact.to],
  );
  return rows;
}
