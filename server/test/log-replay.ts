// Computes the grants, codes and cohorts of people from the audit log alone, and reads them from the tables, so that a
// test can compare the two (R-TRAIL-01).
import type { Database } from '../src/db/database.ts';

type Line = {
  id: string;
  action: string;
  user_id: string | null;
  cohort_id: string | null;
  product_id: string | null;
  coupon_id: string | null;
  detail: Record<string, unknown>;
};
type Days = { starts_on: string; ends_on: string | null };
type Held = { who: string; product_id: string; isRevoked: boolean };

const ISSUED = ['coupon.redeem', 'coupon.generate', 'coupon.regenerate', 'coupon.replace', 'coupon.issue'];

/**
 * Returns a reader of the log, from its present end on. `follow` reads the new lines, which were written on the day
 * `today`. `read` returns the result of all lines: the days of each standing grant by owner and product, the codes of
 * each person by id of the coupon, with a word for the current code, the members of cohorts, and the archived cohorts.
 */
export async function openLogReplay(db: Database) {
  let last =
    (await db.query<{ id: string }>('select coalesce(max(id), 0) as id from audit')).rows[0]?.id ?? '0';
  const grants = new Map<string, Days>();
  const codes = new Map<string, Held>();
  const current = new Map<string, string>();
  const members = new Set<string>();
  const archived = new Set<string>();

  const give = (key: string, given: Days, today: string) => {
    const old = grants.get(key);
    const isOver = old !== undefined && old.ends_on !== null && old.ends_on < today;
    if (old === undefined || isOver) return grants.set(key, given);
    const isOpen = old.ends_on === null || given.ends_on === null;
    const ends = [old.ends_on ?? '', given.ends_on ?? ''].sort();
    return grants.set(key, {
      starts_on: [old.starts_on, given.starts_on].sort()[0] ?? '',
      ends_on: isOpen ? null : (ends[1] ?? null),
    });
  };
  const applyGrant = ({ action, user_id, cohort_id, product_id, detail }: Line, today: string) => {
    const key = (product: unknown) => `${user_id ?? cohort_id} ${product ?? 'all'}`;
    if (action === 'grant.create') {
      const { product_ids, starts_on, ends_on = null } = detail as Days & { product_ids: string[] | 'all' };
      for (const product of product_ids === 'all' ? ['all'] : product_ids)
        give(key(product), { starts_on, ends_on }, today);
    }
    if (action === 'grant.withdraw') grants.delete(key(product_id));
    if (action !== 'grant.edit') return;
    const changed = Object.entries(detail).filter(([field]) => field === 'starts_on' || field === 'ends_on');
    const news = Object.fromEntries(changed.map(([field, value]) => [field, (value as unknown[])[1]]));
    grants.set(key(product_id), { ...(grants.get(key(product_id)) as Days), ...news });
  };
  const applyMember = ({ action, user_id, cohort_id, detail }: Line) => {
    // A summary, or the number of people who were moved here: each of these people also has an audit line.
    if (user_id === null) return;
    const [from, to] = action === 'member.move' ? (detail.cohort_ids as string[]) : [cohort_id, cohort_id];
    if (action !== 'member.add') members.delete(`${from} ${user_id}`);
    if (action !== 'member.remove') members.add(`${to} ${user_id}`);
  };
  const applyCohort = ({ action, cohort_id, detail }: Line, today: string) => {
    if (action === 'cohort.archive') archived.add(cohort_id ?? '');
    if (action === 'cohort.unarchive') archived.delete(cohort_id ?? '');
    if (action !== 'cohort.dates') return;
    const { starts_on, ends_on } = detail as Days;
    for (const [key, days] of grants)
      if (key.startsWith(`${cohort_id} `) && (days.ends_on === null || days.ends_on >= today))
        grants.set(key, { starts_on, ends_on });
  };
  const applyCoupon = ({ action, user_id, product_id, coupon_id }: Line) => {
    if (user_id === null || product_id === null || coupon_id === null) return;
    const whose = `${user_id} ${product_id}`;
    if (ISSUED.includes(action)) {
      codes.set(coupon_id, { who: user_id, product_id, isRevoked: false });
      current.set(whose, coupon_id);
    }
    if (action !== 'coupon.revoke') return;
    codes.set(coupon_id, { who: user_id, product_id, isRevoked: true });
    if (current.get(whose) !== coupon_id) return;
    const valid = [...codes].filter(
      ([, code]) => `${code.who} ${code.product_id}` === whose && !code.isRevoked,
    );
    current.set(whose, valid.at(-1)?.[0] ?? coupon_id);
  };

  const first = last;
  return {
    /** Returns the lines since the start that contain a code of the products. */
    findCodes: async (product_ids: readonly string[]): Promise<unknown[]> => {
      const { rows } = await db.query(
        `select a.action, a.detail from audit a join coupon c on a.detail::text like '%' || c.coupon_code || '%'
         where a.id > $1 and c.product_id = any($2)`,
        [first, product_ids],
      );
      return rows;
    },
    follow: async (today: string): Promise<void> => {
      const { rows } = await db.query<Line>(
        'select id, action, user_id, cohort_id, product_id, coupon_id, detail from audit where id > $1 order by id',
        [last],
      );
      for (const line of rows) {
        last = line.id;
        if (line.action.startsWith('grant.')) applyGrant(line, today);
        if (line.action.startsWith('coupon.')) applyCoupon(line);
        if (line.action.startsWith('member.')) applyMember(line);
        if (line.action.startsWith('cohort.')) applyCohort(line, today);
      }
    },
    read: () => ({
      members: [...members].sort(),
      archived: [...archived].sort(),
      grants: new Map(
        [...grants].map(([key, { starts_on, ends_on }]) => [key, `${starts_on} to ${ends_on}`]),
      ),
      codes: new Map(
        [...codes].map(([id, { who, product_id, isRevoked }]) => {
          const isCurrent = current.get(`${who} ${product_id}`) === id;
          return [
            id,
            `${who} ${product_id} ${isRevoked ? 'revoked' : 'held'} ${isCurrent ? 'shown' : 'earlier'}`,
          ];
        }),
      ),
    }),
  };
}

/**
 * Returns the same as the reader of `openLogReplay`, but from the tables: the grants of these owners (ids of users and
 * cohorts), the codes of these products, and the members of these cohorts.
 */
export async function readGrantsAndCodes(
  db: Database,
  {
    owners,
    product_ids,
    cohort_ids,
  }: { owners: readonly string[]; product_ids: readonly string[]; cohort_ids: readonly string[] },
) {
  const { rows: grants } = await db.query<{ key: string; days: string }>(
    `select coalesce(user_id::text, cohort_id::text) || ' ' || coalesce(product_id::text, 'all') as key,
       starts_on || ' to ' || coalesce(ends_on::text, 'null') as days
     from access_grant where withdrawn_at is null and coalesce(user_id::text, cohort_id::text) = any($1::text[])`,
    [owners],
  );
  const { rows: codes } = await db.query<{ id: string; state: string }>(
    `select id, concat_ws(' ', holder, product_id, case when revoked_at is null then 'held' else 'revoked' end,
       case when is_current then 'shown' else 'earlier' end) as state
     from coupon where holder is not null and product_id = any($1)`,
    [product_ids],
  );
  const { rows: cohorts } = await db.query<{ cohort_id: string; archived: boolean; members: string[] }>(
    `select cohort_id, archived_at is not null as archived,
       array(select m.user_id::text from cohort_member m where m.cohort_id = o.cohort_id) as members
     from cohort o where cohort_id = any($1)`,
    [cohort_ids],
  );
  return {
    members: cohorts
      .flatMap(({ cohort_id, members }) => members.map((user_id) => `${cohort_id} ${user_id}`))
      .sort(),
    archived: cohorts.flatMap(({ cohort_id, archived }) => (archived ? [cohort_id] : [])).sort(),
    grants: new Map(grants.map(({ key, days }) => [key, days])),
    codes: new Map(codes.map(({ id, state }) => [id, state])),
  };
}
