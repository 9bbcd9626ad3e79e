// Lists the codes of one product by the time of assignment or by the last day (R-DAY-12, N-205). Only within a product:
// each state of each product has its own part of an index, so a page of all products would read one part after the
// other.
import type { CodeSort, Coupon } from '@portal/contract';
import type { Db } from '../../db/database.ts';
import { cursorOf, type Page, type Place, searchParts } from '../../db/prefix-search.sql.ts';
import { CODE_STATES, COUPON, type CodeStatus, type CouponFilter, listCoupons } from './codes.sql.ts';

type Filter = CouponFilter & { product_id: string };
type Part = Filter & { from: Place; limit: number; isReversed: boolean; isSkipped: boolean };
type Listed = Coupon & { cursor: string };

/**
 * Returns one page of the codes of a product. `assigned` begins with the newest assignment. `use_by` begins with the
 * earliest last day, and has free codes only. Codes without the value come last in both directions, newest first.
 * `product_id` must be a UUID.
 */
export async function listSortedCoupons(
  db: Db,
  { sort, limit, after, isSkipped = false, ...filter }: Filter & Page & { sort: CodeSort },
): Promise<Coupon[]> {
  const isReversed = sort.startsWith('-');
  const [withValue, withoutValue] =
    sort === 'assigned' || sort === '-assigned'
      ? [listByAssigned, listNeverAssigned]
      : [listByUseBy, listWithoutUseBy];
  return searchParts({ from: '', to: '' }, { limit, after }, [
    (part) => withValue(db, { ...filter, ...part, isReversed, isSkipped }),
    (part) => withoutValue(db, { ...filter, ...part, isReversed, isSkipped }),
  ]);
}

// The first parameters of the statements below are: product ($1), limit ($2), today ($3), value ($4) and id ($5) of the
// last row of the page before, both null for the first page.

// A value has at most `digits` digits. The cursor of another list has another value, and begins with the first page.
function firstParams({ product_id, limit, today, from }: Part, digits: number): unknown[] {
  const isValue = /^\d+$/.test(from.text) && from.text.length <= digits;
  return [product_id, limit, today, ...(isValue ? [from.text, from.id] : [null, null])];
}

/** The states of codes that somebody holds or held. */
const ASSIGNED: readonly CodeStatus[] = ['assigned', 'revoked'];

const MICROSECONDS = '(extract(epoch from c.assigned_at) * 1000000)::bigint::text';

async function listByAssigned(db: Db, part: Part): Promise<Listed[]> {
  const states = ASSIGNED.filter((status) => part.status === undefined || part.status === status);
  const [after, order, start] = part.isReversed ? ['>', 'asc', '-infinity'] : ['<', 'desc', 'infinity'];
  const { rows } = await db.query<Listed>(
    `select ${COUPON}, ${cursorOf(0, { text: MICROSECONDS, id: 'c.id' })} as cursor
     from (
       select c.* from unnest($6::boolean[]) is_held cross join lateral (
         select * from coupon c
         where c.product_id = $1 and c.assigned_at is not null and (c.revoked_at is null) = is_held
           and (c.assigned_at, c.id) ${after} (coalesce(
             timestamptz 'epoch' + $4::bigint * interval '1 microsecond', timestamptz '${start}'), coalesce($5::bigint, 0))
         order by c.assigned_at ${order}, c.id ${order} limit $2) c
       order by c.assigned_at ${order}, c.id ${order} limit $2) c
     left join app_user u on u.id = c.holder and not $7::boolean
     order by c.assigned_at ${order}, c.id ${order}`,
    [...firstParams(part, 16), states.map((status) => status === 'assigned'), part.isSkipped],
  );
  return rows;
}

/** The other states are those of codes that nobody ever held. */
async function listNeverAssigned(db: Db, { status, from, ...part }: Part): Promise<Listed[]> {
  const states = (Object.keys(CODE_STATES) as CodeStatus[]).filter(
    (state) => !ASSIGNED.includes(state) && (status === undefined || status === state),
  );
  const after = from.id === '0' ? undefined : from.id;
  const lists: Coupon[][] = [];
  for (const state of states) lists.push(await listCoupons(db, { ...part, status: state, after }));
  return lists
    .flat()
    .sort((one, other) => (BigInt(one.id) < BigInt(other.id) ? 1 : -1))
    .slice(0, part.limit)
    .map((coupon) => ({ ...coupon, cursor: `${coupon.id}-1` }));
}

const DAYS = "(c.use_by - date '1970-01-01')::text";

/** Free codes, which the index coupon_free has in this order. Codes of other states would need an index that claims pay for. */
async function listByUseBy(db: Db, part: Part): Promise<Listed[]> {
  const [after, order, start] = part.isReversed ? ['<', 'desc', 'infinity'] : ['>', 'asc', '-infinity'];
  const { rows } = await db.query<Listed>(
    `select ${COUPON}, ${cursorOf(0, { text: DAYS, id: 'c.pos' })} as cursor
     from coupon c left join app_user u on u.id = c.holder
     where c.product_id = $1 and c.holder is null and c.voided_at is null and c.use_by > $3 and c.use_by < 'infinity'
       and (c.use_by, c.pos) ${after} (coalesce(date '1970-01-01' + $4::integer, date '${start}'), coalesce($5::bigint, 0))
     order by c.use_by ${order}, c.pos ${order} limit $2`,
    firstParams(part, 7),
  );
  return rows;
}

async function listWithoutUseBy(db: Db, { product_id, limit, today, from }: Part): Promise<Listed[]> {
  const { rows } = await db.query<Listed>(
    `select ${COUPON}, c.pos || '-1' as cursor
     from coupon c left join app_user u on u.id = c.holder
     where c.product_id = $1 and c.holder is null and c.voided_at is null and c.use_by = 'infinity'
       and c.pos < coalesce($4::bigint, 9223372036854775807)
     order by c.use_by desc, c.pos desc limit $2`,
    [product_id, limit, today, from.id === '0' ? null : from.id],
  );
  return rows;
}
