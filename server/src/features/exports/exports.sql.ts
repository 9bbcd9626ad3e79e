// Reads the rows of exports in steps. A step reads a fixed number of rows of an index and returns the rows that match.
// So no statement takes long, and no transaction stays open (R-IMP-21).
import type { CouponState } from '@portal/contract';
import { asRowId, type Db } from '../../db/database.ts';

/** The id of the row after which a step begins; null for the first step. */
export type After = string | null;
/** `last` is the id of the row at which the step ended; null if there are no more rows. */
export type Step<Row> = { rows: Row[]; last: After };

export type ExportedCode = { coupon_code: string; product: string; state: CouponState } & Record<
  'use_by' | 'email' | 'name' | 'cohorts' | 'assigned_at' | 'assigned_by',
  string | null
> &
  Record<'revoked_at' | 'reason' | 'file_name', string | null>;

/** The codes of one stored state of a product, or the codes that the portal generated, or (null) all codes. */
export type CodeSlice = { product_id: string; state: number } | 'generated' | null;
/** `from` and `until` limit the time at which the code was assigned. */
export type CodeConditions = {
  /** The states of the codes on the day `today`, as in CODE_STATES. */
  states: readonly number[];
  today: string;
  /**
   * If true, selects only codes of archived products; if false, only codes of other products. If missing, selects the
   * codes of all products.
   */
  archived?: boolean | undefined;
  product_id?: string | null | undefined;
  batch_id?: string | undefined;
  cohort_id?: string | undefined;
  from?: Date | null | undefined;
  until?: Date | null | undefined;
};

const LAST_ID = '9223372036854775807';
// The ids of all cohorts of the user `u`, separated by commas. The names are not read here, because the planner would
// then read all cohorts again for each user. A text is used because pg (the driver) parses arrays slowly.
const COHORT_IDS = `array_to_string(array(select m.cohort_id from cohort_member m where m.user_id = u.id), ',') as cohort_ids`;

type InCohorts = { cohort_ids: string };

/** Adds the sorted names of the cohorts that are not archived to each row; null if there are none. */
async function nameCohorts<T extends InCohorts>(
  db: Db,
  rows: T[],
): Promise<(T & { cohorts: string | null })[]> {
  const { rows: cohorts } = await db.query<{ cohort_id: string; name: string }>(
    'select cohort_id, name from cohort where archived_at is null order by name, cohort_id',
  );
  const places = new Map(cohorts.map(({ cohort_id }, place) => [cohort_id, place]));
  return rows.map((row) => {
    const known = row.cohort_ids
      .split(',')
      .flatMap((id) => places.get(id) ?? [])
      .sort((a, b) => a - b);
    return { ...row, cohorts: known.map((place) => cohorts[place]?.name).join('; ') || null };
  });
}

/** Reads `size` codes of the slice, newest first, and returns the codes that meet the conditions. */
export async function readCodes(
  db: Db,
  part: { slice: CodeSlice; after: After; size: number; with_cohorts: boolean },
  { states, today, archived, product_id, batch_id, cohort_id, from, until }: CodeConditions,
): Promise<Step<ExportedCode>> {
  const { slice, after, size, with_cohorts } = part;
  const [source, order] =
    slice === null
      ? ['coupon c where c.id < $1::bigint', 'c.id desc']
      : slice === 'generated'
        ? [
            'generated_code g join coupon c on c.id = g.coupon_id where g.coupon_id < $1::bigint',
            'g.coupon_id desc',
          ]
        : [
            `coupon c where c.product_id = $11 and coupon_state(c.holder, c.revoked_at, c.voided_at, c.void_reason) = $12 and -c.id > -$1::bigint`,
            '-c.id',
          ];
  type Row = ExportedCode & InCohorts & { last: string | null; id: string | null };
  const { rows } = await db.query<Row>(
    `with step as materialized (select c.* from ${source} order by ${order} limit $2)
     select case when step.n = $2 then step.last end as last, c.id, c.coupon_code, p.name as product,
       code_state_name(code_state(c.holder, c.revoked_at, c.voided_at, c.void_reason, c.use_by, $9)) as state, nullif(c.use_by, 'infinity') as use_by,
       u.email, u.name, ${with_cohorts ? COHORT_IDS : 'null as cohorts'}, c.assigned_at, c.assigned_by, c.revoked_at,
       coalesce(c.revoke_reason, c.void_reason) as reason, b.file_name
     from (select min(id) as last, count(*) as n from step) step
     left join (
       select * from step c where code_state(c.holder, c.revoked_at, c.voided_at, c.void_reason, c.use_by, $9) = any($3::int[]) and ($4::bigint is null or c.batch_id = $4)
         and ($5::uuid is null or exists (
           select from cohort_member m where m.cohort_id = $5 and m.user_id = c.holder))
         and ($6::timestamptz is null or c.assigned_at >= $6) and ($7::timestamptz is null or c.assigned_at < $7)
         and ($8::uuid is null or c.product_id = $8)
         and ($10::boolean is null
           or (c.product_id = any (array(select product_id from product where archived_at is not null))) = $10)
     ) c on true
     left join product p on p.product_id = c.product_id
     left join app_user u on u.id = c.holder
     left join coupon_batch b on b.id = c.batch_id
     order by c.id desc`,
    [
      ...[after ?? LAST_ID, size, states, batch_id ?? null, cohort_id ?? null, from ?? null, until ?? null],
      ...[product_id ?? null, today, archived ?? null],
      ...(typeof slice === 'object' && slice !== null ? [slice.product_id, slice.state] : []),
    ],
  );
  const found = rows.filter(({ id }) => id !== null);
  return { rows: with_cohorts ? await nameCohorts(db, found) : found, last: rows[0]?.last ?? null };
}

export async function findProductOfBatch(db: Db, batch_id: string): Promise<string | null> {
  const statement = 'select product_id from coupon_batch where id = $1';
  const { rows } = await db.query<{ product_id: string }>(statement, [asRowId(batch_id)]);
  return rows[0]?.product_id ?? null;
}

type UserDetails = { cohorts: string | null; created_at: string; last_sign_in_at: string | null };

/** Returns further columns of an export of users (app_user.id), in the order of `ids`. */
export async function listUserDetails(db: Db, ids: readonly string[]): Promise<UserDetails[]> {
  const { rows } = await db.query<Omit<UserDetails, 'cohorts'> & InCohorts>(
    `select ${COHORT_IDS}, u.created_at, s.last_sign_in_at
     from unnest($1::bigint[]) with ordinality as asked (id, n)
     join app_user u on u.id = asked.id
     left join auth_user s on s.email = u.email
     order by asked.n`,
    [ids],
  );
  return nameCohorts(db, rows);
}
