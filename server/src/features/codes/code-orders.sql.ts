// Lists the codes of one product by the time of assignment or by the last day (R-DAY-12, N-205). Only within a product:
// each state of each product has its own part of an index, so a page of all products would read one part after the
// other.
import type { CodeSort, Coupon } from '@portal/contract';
import type { Db } from '../../db/database.ts';
import { cursorOf, type Page, type Place, searchParts } from '../../db/prefix-search.sql.ts';
import { CODE_STATES, type CodeStatus, type CouponFilter, listCoupons } from './codes.sql.ts';

type Filter = CouponFilter & { product_id: string };
type Part = Filter & { from: Place; limit: number; isReversed: boolean; isSkipped: boolean };
type Listed = Coupon & { cursor: string };

/**
 * Returns one page of the codes of a product. `assigned` begins with the newest assignment, `use_by` with the earliest
 * last day. Codes without the value come last in both directions, newest first. `product_id` must be a UUID.
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
const COUPON = `c.id, c.coupon_code, c.product_id, c.assigned_at, c.usage_limit, c.batch_id,
  code_state_name(code_state(c.holder, c.revoked_at, c.voided_at, c.void_reason, c.use_by, $3)) as state,
  nullif(c.use_by, 'infinity') as use_by, u.email`;

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

/** Returns for each stored state that the filter selects the last days that it selects: after `above`, until `upto`. */
function daysOfStates({ status, today }: Filter): { state: number; above: string; upto: string }[] {
  const all = { above: '-infinity', upto: 'infinity' };
  if (status === undefined) return Object.values(CODE_STATES).map((state) => ({ ...all, state }));
  if (status === 'available') return [{ ...all, state: CODE_STATES.available, above: today }];
  // The job has not made all expired codes void yet.
  if (status === 'expired')
    return [
      { ...all, state: CODE_STATES.expired },
      { ...all, state: CODE_STATES.available, upto: today },
    ];
  return [{ ...all, state: CODE_STATES[status] }];
}

const DAYS = "(c.use_by - date '1970-01-01')::text";

async function listByUseBy(db: Db, part: Part): Promise<Listed[]> {
  const [after, order, start] = part.isReversed ? ['<', 'desc', 'infinity'] : ['>', 'asc', '-infinity'];
  const from = `coalesce(date '1970-01-01' + $4::integer, date '${start}')`;
  // The comparison with the day and the id alone would not limit where the scan of the index begins.
  const range = part.isReversed
    ? `slice.above + 1 and least(slice.upto, ${from})`
    : `greatest(slice.above + 1, ${from}) and slice.upto`;
  const { rows } = await db.query<Listed>(
    `select ${COUPON}, ${cursorOf(0, { text: DAYS, id: 'c.id' })} as cursor
     from (
       select c.* from jsonb_to_recordset($6::jsonb) slice (state integer, above date, upto date) cross join lateral (
         select * from coupon c
         where c.product_id = $1 and coupon_state(c.holder, c.revoked_at, c.voided_at, c.void_reason) = slice.state
           and c.use_by + 0 between ${range} and c.use_by + 0 < 'infinity'
           and (c.use_by + 0, c.id) ${after} (${from}, coalesce($5::bigint, 0))
         order by c.use_by + 0 ${order}, c.id ${order} limit $2) c
       order by c.use_by ${order}, c.id ${order} limit $2) c
     left join app_user u on u.id = c.holder and not $7::boolean
     order by c.use_by ${order}, c.id ${order}`,
    [...firstParams(part, 7), JSON.stringify(daysOfStates(part)), part.isSkipped],
  );
  return rows;
}

async function listWithoutUseBy(db: Db, part: Part): Promise<Listed[]> {
  const { product_id, limit, today, from, isSkipped } = part;
  const states = daysOfStates(part).filter(({ upto }) => upto === 'infinity');
  const { rows } = await db.query<Listed>(
    `select ${COUPON}, c.id || '-1' as cursor
     from (
       select c.* from unnest($5::integer[]) state cross join lateral (
         select * from coupon c
         where c.product_id = $1 and coupon_state(c.holder, c.revoked_at, c.voided_at, c.void_reason) = state
           and c.use_by + 0 = 'infinity' and c.id < coalesce($4::bigint, 9223372036854775807)
         order by c.id desc limit $2) c
       order by c.id desc limit $2) c
     left join app_user u on u.id = c.holder and not $6::boolean
     order by c.id desc`,
    [
      ...[product_id, limit, today, from.id === '0' ? null : from.id],
      ...[states.map(({ state }) => state), isSkipped],
    ],
  );
  return rows;
}
