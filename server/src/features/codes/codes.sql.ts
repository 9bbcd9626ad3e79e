// Lists and searches codes, reads single codes, and finds codes in a text that staff typed. Counts the codes that staff
// read, and finds products that run out of codes.
import type { Coupon, FoundCode, ProductRecord } from '@portal/contract';
import { asRowId, type Db } from '../../db/database.ts';
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
} from '../../db/prefix-search.sql.ts';

/**
 * Selects codes. Without `product_id`, `archived` selects either the codes of archived products only, or the codes of
 * all other products (N-202). `status` is the state on the day `today` of the portal's time zone.
 */
export type CouponFilter = {
  product_id?: string | undefined;
  status?: CodeStatus | undefined;
  archived?: boolean | undefined;
  today: string;
};

/**
 * The states by which the list of codes can be filtered, with the numbers that the SQL function `code_state` returns.
 */
export const CODE_STATES = { available: 0, assigned: 1, revoked: 2, void: 3, expired: 4 };
export type CodeStatus = keyof typeof CODE_STATES;

// The first parameters of the list statements are: product ($1), state ($2), today ($3), archived ($4).
export const COUPON = `c.id, c.coupon_code, c.product_id, c.assigned_at, c.usage_limit, c.batch_id,
  code_state_name(code_state(c.holder, c.revoked_at, c.voided_at, c.void_reason, c.use_by, $3)) as state,
  c.unconfirmed, nullif(c.use_by, 'infinity') as use_by, u.email`;
const STATE_MATCHES = `($2::integer is null or code_state(c.holder, c.revoked_at, c.voided_at, c.void_reason, c.use_by, $3) = $2)`;
const PRODUCT_MATCHES = `case when $1::uuid is not null then p.product_id = $1
  else $4::boolean is null or (p.archived_at is not null) = $4 end`;
// The same condition as PRODUCT_MATCHES, for the product of a code. It avoids a join with the table product, because
// with a join the planner might read and sort all codes.
const OF_PRODUCT = `case when $1::uuid is not null then c.product_id = $1 else $4::boolean is null
  or (c.product_id = any (array(select product_id from product where archived_at is not null))) = $4 end`;
// SQL that selects all combinations of product and stored state that match the filter. The codes of one combination are
// called a slice. An index is sorted by product, then by state, then in the order of the list. So the codes of a slice
// are read without sorting. The state 5 stands for codes that have expired, but that the job has not made void yet.
const SLICES = `(
  select p.product_id, s.state from product p cross join generate_series(0, 5) s (state)
  where ${PRODUCT_MATCHES} and case when $2::integer is null then s.state < 5
    else s.state = $2 or ($2 = 4 and s.state = 5) end) slice`;
// Returns SQL that selects the first codes of a slice in the given order.
const inSlice = (columns: string, condition: string, order: string, limit: string) => `(
  (select ${columns} from coupon c
   where c.product_id = slice.product_id and coupon_state(c.holder, c.revoked_at, c.voided_at, c.void_reason) = slice.state
     and (slice.state <> 0 or $2::integer is null or c.use_by > $3::date) and ${condition}
   ${order} limit ${limit})
  union all
  (select ${columns} from expired_coupons(slice.product_id, $3::date) c where slice.state = 5 and ${condition}
   ${order} limit ${limit}))`;
// Maximum number of users that a search by address considers. If more users match, staff have to type more letters.
const MAX_ADDRESSES = 1_000;
const CODE = 'lower(c.coupon_code) collate "C"';
const CODE_MATCHES = `${CODE} >= $5 and ${CODE} < $6`;

/**
 * A search. With `isExact`, codes are found only by their whole text. A prefix search would let callers who may not see
 * codes guess a code letter by letter (R-IMP-43).
 */
export type CouponSearch = CouponFilter & { q: string; isExact?: boolean };
type Ranges = { codes: PrefixRange; addresses: PrefixRange };

async function findRanges(db: Db, { q, isExact = false }: CouponSearch): Promise<Ranges> {
  const addresses = await findPrefixRange(db, q);
  return { codes: isExact ? toExactRange(addresses) : addresses, addresses };
}

function sliceParams({ product_id, status, today, archived = false }: CouponFilter): unknown[] {
  return [product_id ?? null, status ? CODE_STATES[status] : null, today, archived];
}

/** Returns one page of coupons, newest first. `product_id` must be a UUID. Skipped rows have no holder. */
export async function listCoupons(
  db: Db,
  { limit, after, isExport, isSkipped = false, ...filter }: CouponFilter & Page,
): Promise<Coupon[]> {
  const isWhole = !filter.product_id && !filter.status && !filter.archived;
  if (isExport || (isWhole && !(await hasArchived(db))))
    return walkCoupons(db, { limit, after, isSkipped, ...filter });
  const { rows } = await db.query<Coupon>(
    `select ${COUPON} from ${SLICES}
     cross join lateral ${inSlice('*', '-c.id > coalesce(-$6::bigint, -9223372036854775807)', 'order by -c.id', '$5')} c
     left join app_user u on u.id = c.holder and not $7::boolean
     order by c.id desc limit $5`,
    [...sliceParams(filter), limit, idOfCursor(after), isSkipped],
  );
  return rows;
}

async function hasArchived(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ has: boolean }>(
    'select exists (select from product where archived_at is not null) as has',
  );
  return rows[0]?.has ?? false;
}

// Reads the codes in the order of their ids. For a list without a filter, and for all pages of an export together,
// this is faster than a query for each product and state. A page is not read in this way if products are archived: the
// query might skip a million codes of an archived product before the page is full.
async function walkCoupons(
  db: Db,
  { limit, after, isSkipped, ...filter }: CouponFilter & Page,
): Promise<Coupon[]> {
  const { rows } = await db.query<Coupon>(
    `select ${COUPON} from coupon c left join app_user u on u.id = c.holder and not $7::boolean
     where c.id < coalesce($6::bigint, 9223372036854775807) and ${OF_PRODUCT} and ${STATE_MATCHES}
     order by c.id desc limit $5`,
    [...sliceParams(filter), limit, idOfCursor(after), isSkipped],
  );
  return rows;
}

/**
 * Returns one page of the codes that match `q`, ignoring case. First come codes that begin with `q` (with `isExact`:
 * that are equal to `q`), sorted by code. Then come codes whose holder's address begins with `q`, sorted by address.
 * The search by address considers only the first MAX_ADDRESSES matching users, including users without codes.
 * `product_id` must be a UUID.
 */
export async function searchCoupons(
  db: Db,
  { limit, after, ...search }: CouponSearch & Page,
): Promise<Coupon[]> {
  const ranges = await findRanges(db, search);
  return searchParts(ranges.addresses, { limit, after }, [
    (part) => searchByCode(db, { ...search, ...part, ...ranges }),
    // Codes in the other states have no holder, so the search by the holder's address cannot find them.
    async (part) =>
      search.status === undefined || search.status === 'assigned' || search.status === 'revoked'
        ? searchByAddress(db, { ...search, ...part, ...ranges })
        : [],
  ]);
}

type Search = CouponFilter & Ranges & { from: Place; limit: number };

async function searchByCode(db: Db, { codes, limit, from, ...filter }: Search): Promise<Coupon[]> {
  const { rows } = await db.query<Coupon>(
    `select ${COUPON}, ${cursorOf(0, { text: CODE, id: 'c.id' })} as cursor from ${SLICES}
     cross join lateral ${inSlice('*', `(${CODE}, c.id) > ($7 collate "C", $8::bigint) and ${CODE_MATCHES}`, `order by ${CODE}, c.id`, '$9')} c
     left join app_user u on u.id = c.holder
     order by ${CODE}, c.id limit $9`,
    [...sliceParams(filter), codes.from, codes.to, from.text, from.id, limit],
  );
  return rows;
}

// Skips codes that the search by code returns. With `isExact`, does not skip codes that only begin with the searched
// text: if such codes were missing in the results, callers would learn how the codes begin.
async function searchByAddress(
  db: Db,
  { codes, addresses, limit, from, ...filter }: Search,
): Promise<Coupon[]> {
  const { rows } = await db.query<Coupon>(
    `select ${COUPON}, ${cursorOf(1, { text: 'u.email', id: 'c.id' })} as cursor from (
       select * from app_user u where u.email collate "C" >= greatest($8 collate "C", $5) and u.email collate "C" < $6
       order by u.email collate "C", u.id limit ${MAX_ADDRESSES}
     ) u cross join lateral (
       select * from coupon c
       where c.holder = u.id and ${OF_PRODUCT} and ${STATE_MATCHES}
         and (u.email collate "C", c.id) > ($8 collate "C", $9::bigint)
         and not (${CODE} >= $10 and ${CODE} < $11)
       order by c.id limit $7
     ) c
     order by u.email collate "C", c.id limit $7`,
    [
      ...[...sliceParams(filter), addresses.from, addresses.to, limit, from.text, from.id],
      ...[codes.from, codes.to],
    ],
  );
  return rows;
}

/** Returns the number of codes that `searchCoupons` finds, up to COUNTED_MATCHES. */
export async function countFoundCoupons(db: Db, search: CouponSearch): Promise<Total> {
  const { codes, addresses } = await findRanges(db, search);
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from (
       (select 1 from ${SLICES} cross join lateral ${inSlice('1', CODE_MATCHES, '', '$7')} c limit $7)
       union all
       (select 1 from (
          select * from app_user u
          where ($2::integer is null or $2 in (1, 2)) and u.email collate "C" >= $8 and u.email collate "C" < $9
          order by u.email collate "C", u.id limit ${MAX_ADDRESSES}
        ) u cross join lateral (
          select 1 from coupon c
          where c.holder = u.id and ${OF_PRODUCT} and ${STATE_MATCHES} and not (${CODE_MATCHES})
          order by c.holder, c.id limit $7) c
        limit $7)
     ) found`,
    [
      ...[...sliceParams(search), codes.from, codes.to],
      ...[COUNTED_MATCHES + 1, addresses.from, addresses.to],
    ],
  );
  return countedMatches(rows[0]?.count ?? 0);
}

// Selects the generated codes `g` that match the filter and, unless $5 is null, the searched text.
const GENERATED = `generated_code g join coupon c on c.id = g.coupon_id left join app_user u on u.id = c.holder
  where ${OF_PRODUCT} and ${STATE_MATCHES}
    and ($5::text is null or (${CODE_MATCHES})
      or (u.email collate "C" >= $7 and u.email collate "C" < $8))`;

async function generatedParams(db: Db, search: CouponSearch): Promise<unknown[]> {
  if (search.q === '') return [...sliceParams(search), null, null, null, null];
  const { codes, addresses } = await findRanges(db, search);
  return [...sliceParams(search), codes.from, codes.to, addresses.from, addresses.to];
}

/**
 * Returns one page of the codes that the portal generated and that match the filter and `q`, newest first (R-IMP-15).
 * The statement uses no index for the filter: it reads the generated codes one by one until the page is full. There are
 * only a few generated codes.
 */
export async function listGenerated(
  db: Db,
  { limit, after, ...search }: CouponSearch & Page,
): Promise<Coupon[]> {
  const { rows } = await db.query<Coupon>(
    `select ${COUPON} from ${GENERATED} and g.coupon_id < coalesce($9::bigint, 9223372036854775807)
     order by g.coupon_id desc limit $10`,
    [...(await generatedParams(db, search)), idOfCursor(after), limit],
  );
  return rows;
}

export async function countGenerated(db: Db, search: CouponSearch): Promise<Total> {
  const { rows } = await db.query<{ total: number }>(
    `select count(*)::int as total from ${GENERATED}`,
    await generatedParams(db, search),
  );
  return { total: rows[0]?.total ?? 0, atLeast: false };
}

/** A code with its product and the person to whom it is assigned. `holder` is null if it is assigned to nobody. */
type FoundCoupon = Omit<FoundCode, 'hint'> & { coupon_code: string };

/**
 * Returns at most two codes whose whole text is `code`, ignoring case, of all products. Codes that somebody holds come
 * first, then free, revoked, void and expired codes. Several codes match if several products have the code, or several
 * people hold a shared code.
 */
export async function findCoupons(db: Db, code: string, today: string): Promise<FoundCoupon[]> {
  const exact = toExactRange(await findPrefixRange(db, code));
  const { rows } = await db.query<FoundCoupon>(
    `select c.id, c.coupon_code,
       code_state_name(code_state(c.holder, c.revoked_at, c.voided_at, c.void_reason, c.use_by, $3)) as state,
       c.unconfirmed, jsonb_build_object('product_id', p.product_id, 'name', p.name) as product,
       case when u.id is not null then jsonb_build_object('user_id', u.user_id, 'email', u.email, 'name', u.name) end
         as holder
     from ${SLICES} cross join lateral ${inSlice('*', CODE_MATCHES, `order by ${CODE}, c.id`, '2')} c
     join product p on p.product_id = c.product_id left join app_user u on u.id = c.holder
     order by array_position(array[1, 0, 2, 3, 4],
       code_state(c.holder, c.revoked_at, c.voided_at, c.void_reason, c.use_by, $3)), c.id limit 2`,
    [null, null, today, null, exact.from, exact.to],
  );
  return rows;
}

/**
 * A code with the fields that decide what staff may do with it. `state` is 'free' even if a free code has expired, as
 * long as it is not void. `holder` is app_user.id, or null if the code is free or void.
 */
export type StoredCoupon = Coupon & {
  revoked_at: string | null;
  holder: string | null;
  shared: boolean;
  is_current: boolean;
};

const STORED = `c.id, c.coupon_code, c.product_id, c.assigned_at, c.usage_limit, c.batch_id,
  code_state_name(code_state(c.holder, c.revoked_at, c.voided_at, c.void_reason, c.use_by, '-infinity')) as state,
  c.unconfirmed, nullif(c.use_by, 'infinity') as use_by, u.email, c.revoked_at, c.holder, c.shared, c.is_current`;

export async function findStoredCoupon(db: Db, id: string): Promise<StoredCoupon | null> {
  const { rows } = await db.query<StoredCoupon>(
    `select ${STORED}
     from coupon c left join app_user u on u.id = c.holder where c.id = $1`,
    [asRowId(id)],
  );
  return rows[0] ?? null;
}

/**
 * A shared code has several rows with the same text. One void row makes the text void. Returns such a row, or null if
 * there is none. Of several void rows, prefers the row with the given `id`, then the newest row.
 */
export async function findVoidShared(
  db: Db,
  { id, product_id, coupon_code }: Pick<Coupon, 'id' | 'product_id' | 'coupon_code'>,
): Promise<StoredCoupon | null> {
  const { rows } = await db.query<StoredCoupon>(
    `select ${STORED}
     from coupon c left join app_user u on u.id = c.holder
     where c.product_id = $1 and c.shared and c.coupon_code = $2 and c.voided_at is not null
     order by c.id = $3 desc, c.id desc limit 1`,
    [product_id, coupon_code, id],
  );
  return rows[0] ?? null;
}

/**
 * Removes the mark `unconfirmed` of a code; of a shared code, from all rows with its text. Returns the number of changed
 * rows.
 */
export async function confirmCode(
  db: Db,
  { id, product_id, coupon_code }: Pick<Coupon, 'id' | 'product_id' | 'coupon_code'>,
): Promise<number> {
  const { rowCount } = await db.query(
    `update coupon set unconfirmed = false
     where product_id = $1 and unconfirmed and (id = $2 or (shared and coupon_code = $3))`,
    [product_id, id, coupon_code],
  );
  return rowCount;
}

/** Returns how many codes of a product have the mark `unconfirmed`, and the newest id of them; '0' without any. */
export async function findUnconfirmed(db: Db, product_id: string) {
  const { rows } = await db.query<{ count: number; last_id: string }>(
    `select count(*)::int as count, coalesce(max(id), 0)::text as last_id from coupon
     where product_id = $1 and unconfirmed`,
    [product_id],
  );
  return rows[0] ?? { count: 0, last_id: '0' };
}

/**
 * Removes the mark `unconfirmed` of the next `limit` codes of a product that have it and are not newer than `last_id`.
 * Returns the number of changed codes.
 */
export async function confirmNextOfProduct(
  db: Db,
  { product_id, last_id, limit }: { product_id: string; last_id: string; limit: number },
): Promise<number> {
  const { rowCount } = await db.query(
    `with marked as (
       select id from coupon where product_id = $1 and unconfirmed and id <= $2 order by id limit $3 for update
     )
     update coupon set unconfirmed = false from marked where coupon.id = marked.id`,
    [product_id, last_id, limit],
  );
  return rowCount;
}

type Replacement = { coupon_code: string; assigned_at: string; unconfirmed: boolean };

/**
 * Returns the code that the holder got in place of the revoked code `id`: the first code that was assigned at the time
 * `after` or later. Returns null if there is none.
 */
export async function findReplacement(
  db: Db,
  { product_id, holder, id, after }: { product_id: string; holder: string; id: string; after: string },
): Promise<Replacement | null> {
  const { rows } = await db.query<Replacement>(
    `select coupon_code, assigned_at, unconfirmed from coupon
     where product_id = $1 and holder = $2 and id <> $3 and assigned_at >= $4
     order by assigned_at, id limit 1`,
    [product_id, holder, id, after],
  );
  return rows[0] ?? null;
}

/** Returns true if a code of the user and product was revoked at the time `assigned_at` or before. */
export async function followsRevocation(
  db: Db,
  { user_id, product_id, assigned_at }: { user_id: string; product_id: string; assigned_at: string },
): Promise<boolean> {
  const { rows } = await db.query<{ follows: boolean }>(
    `select exists (
       select from coupon where holder = $1 and product_id = $2 and revoked_at <= $3) as follows`,
    [user_id, product_id, assigned_at],
  );
  return rows[0]?.follows ?? false;
}

/** A user's current code. `is_replacement` is true if staff assigned the code after an earlier code was revoked. */
export type OwnCode = Pick<Coupon, 'id' | 'product_id' | 'coupon_code' | 'unconfirmed'> & {
  assigned_at: string;
  is_replacement: boolean;
};

/** Returns the user's current codes that are not revoked. */
export async function listOwnCodes(db: Db, user_id: string): Promise<OwnCode[]> {
  const { rows } = await db.query<OwnCode>(
    `select c.id, c.product_id, c.coupon_code, c.unconfirmed, c.assigned_at,
       c.assigned_by <> 'learner' and exists (
         select from coupon r where r.holder = c.holder and r.product_id = c.product_id and r.revoked_at <= c.assigned_at
       ) as is_replacement
     from coupon c where c.holder = $1 and c.is_current and c.revoked_at is null`,
    [user_id],
  );
  return rows;
}

/**
 * Returns true if the text contains a code of one of the products `product_ids` (null: of any product). Compares only
 * letters and digits, in lower case. So the function finds a code inside a word, and with other characters between its
 * letters (N-322). A code with fewer than six letters and digits is found only if it is one of `words`.
 *
 * The statement searches at each position of the text. It looks up in the index coupon_letters the greatest code that
 * is not greater than the rest of the text. If the rest begins with this code, the code is found. Otherwise the search
 * continues with the common prefix of the rest and this code: any other code with which the rest begins is a prefix of
 * that common prefix. The search ends when the common prefix has fewer than six letters.
 */
export async function hasCode(
  db: Db,
  { text, ...among }: { text: string; words: readonly string[]; product_ids: readonly string[] | null },
): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>(
    `with recursive rest (text, code) as (
       select substr(letters, at, 255) collate "C", null::text collate "C"
       from code_letters($1) letters cross join lateral generate_series(1, char_length(letters) - 5) at
       union
       select left(near.text, shared.length - (shared.length = char_length(near.text))::int),
         case when shared.length = char_length(near.text) then near.text end
       from rest cross join lateral (
         select code_letters(c.coupon_code) collate "C" as text from coupon c
         where code_letters(c.coupon_code) collate "C" <= rest.text
         order by code_letters(c.coupon_code) collate "C" desc limit 1) near
       cross join lateral (
         select max(n) as length
         from generate_series(6, least(char_length(rest.text), char_length(near.text))) n
         where left(rest.text, n) = left(near.text, n)) shared
       where shared.length is not null
     ), codes (letters) as (
       select code from rest where code is not null
       union
       select code_letters(word) from unnest($2::text[]) word where code_letters(word) <> ''
     )
     select exists (
       select from codes join coupon c on code_letters(c.coupon_code) collate "C" = codes.letters collate "C"
       where $3::uuid[] is null or c.product_id = any($3)
     ) or exists (
       select from product p cross join unnest($2::text[]) word
       where ($3::uuid[] is null or p.product_id = any($3)) and code_letters(word) = '' and exists (
         select from coupon c where c.product_id = p.product_id and c.coupon_code = word)
     ) as found`,
    [text, among.words, among.product_ids],
  );
  return rows[0]?.found ?? false;
}

// The next functions count the codes that each member of staff has read in the last minutes.

/** Maximum number of codes that a person may read within REVEAL_MINUTES. */
export const MAX_REVEALS = 30;
export const REVEAL_MINUTES = 10;
// First key of the advisory locks of `lockReveals`. The number is arbitrary, but must be the same in all processes.
const READER_LOCK = 7_346_204;

type RevealCount = {
  /** Seconds until the person may read the next code; null if the person may read one now. */
  retry_after: number | null;
  /**
   * True if the person was refused a code after the oldest counted reading. The mails to the owners were enqueued at
   * that time.
   */
  was_refused: boolean;
};

/**
 * Makes concurrent calls of the same member of staff wait until the transaction ends, so that `countReveals` counts the
 * codes of all calls. `staff` is app_user.id. Uses an advisory lock, not a lock of the person's row: with row locks,
 * two members of staff who issue codes to each other would deadlock.
 */
export async function lockReveals(db: Db, staff: string): Promise<void> {
  // Calls of two people whose ids have the same remainder wait for each other too. This short wait does no harm.
  await db.query('select pg_advisory_xact_lock($1, ($2::bigint % 2147483647)::int)', [READER_LOCK, staff]);
}

/**
 * Counts the codes that a member of staff (app_user.id) read in a sliding window of REVEAL_MINUTES. The transaction
 * must have called `lockReveals`.
 */
export async function countReveals(db: Db, staff: string): Promise<RevealCount> {
  // A time in the future was written when the clock was ahead. Without this update, the person would be refused until
  // that time.
  await db.query('update code_reveal set at = now() where staff = $1 and at > now()', [staff]);
  const { rows } = await db.query<RevealCount>(
    `with recent as (
       select refused, at from code_reveal where staff = $1 and at > now() - make_interval(mins => $2)
     ), oldest as (
       select at from recent where not refused order by at desc offset $3 - 1 limit 1
     )
     select ceil(extract(epoch from oldest.at + make_interval(mins => $2) - now()))::int as retry_after,
            exists (select from recent where refused and recent.at >= oldest.at) as was_refused
     from oldest`,
    [staff, REVEAL_MINUTES, MAX_REVEALS],
  );
  return rows[0] ?? { retry_after: null, was_refused: false };
}

/** Records that a member of staff read a code, or was refused one. Deletes the person's rows that no longer count. */
export async function recordReveal(
  db: Db,
  { staff, refused }: { staff: string; refused: boolean },
): Promise<void> {
  const old = 'delete from code_reveal where staff = $1 and at <= now() - make_interval(mins => $2)';
  await db.query(old, [staff, REVEAL_MINUTES]);
  await db.query('insert into code_reveal (staff, refused) values ($1, $2)', [staff, refused]);
}

// The next functions read how many codes of a product are left, and record which low-stock alerts were sent.

type Stock = { product_id: string; name: string; left: number; total: number };
/**
 * `level`: 'empty', 'low' (less than a tenth of the codes are left), or 'days' (more are left, but they last few days).
 * The other fields are those of the forecast in the contract.
 */
export type LowStock = Stock & { level: 'low' | 'empty' | 'days' } & Pick<
    ProductRecord,
    'days_left' | 'pace' | 'short' | 'expiring_first' | 'expires_on'
  >;

/**
 * Returns the products with less than a tenth of their codes left, or whose codes last less than `days` days, the fewest
 * codes first. Products with shared codes are left out.
 */
export async function listLowStock(
  db: Db,
  { today, days }: { today: string; days: number },
): Promise<LowStock[]> {
  const { rows } = await db.query<LowStock>(
    `select product_id, name, total, "left", days_left, pace, short, expiring_first, expires_on::text,
       case when "left" = 0 then 'empty' when "left" < total / 10.0 then 'low' else 'days' end as level
     from (select p.product_id, p.name, n.free + n.held + n.revoked as total, n.free as "left", f.*
           from product p join code_counts($1) n on n.product_id = p.product_id
           left join forecast_stock(p, n.free, n.held + n.revoked, $1) f on true
           where not p.shared_coupon and p.archived_at is null) stock
     where "left" < total / 10.0 or days_left < $2
     order by "left", name`,
    [today, days],
  );
  return rows;
}

/**
 * Returns for each product the number of its free codes (`left`) and of its codes that are neither void nor expired
 * (`total`). The numbers come from aggregate counters (decision 0014). Products with shared codes are left out.
 */
export async function listStock(db: Db, today: string): Promise<Stock[]> {
  const { rows } = await db.query<Stock>(
    `select p.product_id, p.name, coalesce(n.free + n.held + n.revoked, 0) as total, coalesce(n.free, 0) as "left"
     from product p left join code_counts($1) n on n.product_id = p.product_id
     where not p.shared_coupon and p.archived_at is null`,
    [today],
  );
  return rows;
}

/**
 * Deletes the records of alerts for all products that are not in `lowStock`, so that their next shortage sends a new
 * alert.
 */
export async function clearStockNotices(db: Db, lowStock: readonly LowStock[]): Promise<void> {
  await db.query('delete from stock_notice where not (product_id = any($1::uuid[]))', [
    lowStock.map(({ product_id }) => product_id),
  ]);
}

/**
 * Records the low-stock alert for a product. Returns false if an alert with the same level, or with the level 'empty',
 * is already recorded.
 */
export async function claimStockNotice(
  db: Db,
  { product_id, level }: { product_id: string; level: 'low' | 'empty' },
  at: Date,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into stock_notice (product_id, level, sent_at) values ($1, $2, $3)
     on conflict (product_id) do update set level = excluded.level, sent_at = excluded.sent_at
       where stock_notice.level = 'low' and excluded.level = 'empty'`,
    [product_id, level, at],
  );
  return rowCount === 1;
}
