// Counts what taking back an upload of people or products would do. The parts of SQL here say what an upload made, also
// for the statements that take it back (undo.ts). In all of them, $1 is the id of the upload.
import type { UndoPreview } from '@portal/contract';
import type { Db } from '../db/database.ts';
import { counting } from '../features/access/access.sql.ts';
import type { UndoTarget } from './undo.sql.ts';

// Grants that stand, are not over on the day $2, and are not of an archived cohort (N-61).
const COUNTING = counting('$2');
// The grants of an upload that an undo withdraws, but for those that somebody else gave too.
export const MADE = `g.import_id = $1::uuid and ${COUNTING}`;
// Grants of products that the upload gives. $4: these products.
const OF_UPLOAD = '(g.product_id is null or g.product_id = any($4::uuid[]))';
// Lines of the log about people whom the upload made members of its cohort.
export const LINES = `audit a where a.cohort_id = $3::uuid and a.action = 'member.add' and a.detail ->> 'import_id' = $1::text`;
// True for a line `a` whose membership `m` was not made again since. The line of the log and the membership were written
// in one transaction, so their times are equal.
export const IS_MADE = 'm.cohort_id = a.cohort_id and m.user_id = a.user_id and m.joined_at = a.at';
// Memberships `m` that another upload made and left to this one when it was taken back (`handOverMembers`).
export const LEFT_TO_IT = `cohort_member_source s join cohort_member m using (cohort_id, user_id)
  where s.import_id = $1::uuid and m.joined_at = s.given_at`;
// Rows `s` of those who gave the grant `g`, or the membership `m`, as well.
export const GIVERS = {
  grant: 'access_grant_source s where s.grant_id = g.id and s.import_id is distinct from $1::uuid',
  member:
    'cohort_member_source s where s.cohort_id = m.cohort_id and s.user_id = m.user_id and s.import_id is distinct from $1::uuid',
};
/** Number of givers that are named. */
const NAMED = 5;

/**
 * `joined` is the number of memberships that end. `lines` is the number of lines in the log about people whom the upload
 * made members.
 */
type UndoCounts = Pick<UndoPreview, 'grants' | 'people' | 'holding' | 'kept' | 'kept_later' | 'later'> & {
  joined: number;
  lines: number;
};

/**
 * Counts what taking back an upload of people on the day `today` would do (N-94). Like `countHolding`, `holding` reads
 * only current codes. `kept` counts people for whom nothing ends: `kept_later` of them were given the same again since
 * (N-318), and the others are duplicates of the file who are members of the upload's cohort, or have a product of the
 * upload. The duplicates that are stored with the upload are the first 100,000: if the file has more, `kept` may be too
 * small.
 */
export async function countUndo(
  db: Db,
  { id, cohort_id, product_ids }: UndoTarget,
  today: string,
): Promise<UndoCounts> {
  const { rows } = await db.query<UndoCounts>(
    `with granted as materialized (
       select g.id, g.user_id, g.product_id, exists (select from ${GIVERS.grant}) as stays
       from access_grant g where ${MADE}
     ), lines as materialized (
       select a.cohort_id, a.user_id, a.at from ${LINES}
     ), members as materialized (
       select m.user_id, m.cohort_id, exists (select from ${GIVERS.member}) as stays from (
         select m.user_id, m.cohort_id from lines a join cohort_member m on ${IS_MADE}
         union select m.user_id, m.cohort_id from ${LEFT_TO_IT}
       ) m
     ), made as materialized (
       select user_id, product_id from granted where not stays
     ), joined as materialized (
       select user_id from members where not stays
     ), touched as materialized (
       select user_id from made union select user_id from joined
     ), later as materialized (
       select s.import_id, g.user_id from granted g join access_grant_source s
         on s.grant_id = g.id and s.import_id is distinct from $1::uuid
       where g.stays and not exists (select from touched where touched.user_id = g.user_id)
       union
       select s.import_id, m.user_id from members m join cohort_member_source s
         on s.cohort_id = m.cohort_id and s.user_id = m.user_id and s.import_id is distinct from $1::uuid
       where m.stays and not exists (select from touched where touched.user_id = m.user_id)
     ), given as materialized (
       select g.product_id from access_grant g where g.cohort_id = $3::uuid and ${COUNTING}
     ), holding as (
       select made.user_id from made join coupon c on c.holder = made.user_id
         and (made.product_id is null or c.product_id = made.product_id)
       where c.is_current and c.revoked_at is null
       union
       select joined.user_id from joined join coupon c on c.holder = joined.user_id
       where c.is_current and c.revoked_at is null
         and exists (select from given where given.product_id is null or given.product_id = c.product_id)
     ), others as materialized (
       select distinct u.id from import_row r join app_user u on u.email = lower(btrim(r.cells[1]))
       where r.import_id = $1::uuid and r.kind = 'duplicate'
         and not exists (select from touched where touched.user_id = u.id)
         and not exists (select from later where later.user_id = u.id)
     ), keeping as materialized (
       select $3::uuid as cohort_id
       union
       select g.cohort_id from access_grant g where g.cohort_id is not null and ${COUNTING} and ${OF_UPLOAD}
     ), kept as (
       select others.id from others join access_grant g on g.user_id = others.id where ${COUNTING} and ${OF_UPLOAD}
       union
       select others.id from others join cohort_member m on m.user_id = others.id
       where m.cohort_id in (select cohort_id from keeping)
     )
     select (select count(*)::int from made) as grants, (select count(*)::int from joined) as joined,
       (select count(*)::int from touched) as people, (select count(*)::int from holding) as holding,
       (select count(*)::int from kept) + n.kept_later as kept, n.kept_later, ${named('later')} as later,
       (select count(*)::int from lines) as lines
     from (select count(distinct user_id)::int as kept_later from later) n`,
    [id, today, cohort_id, product_ids],
  );
  return rows[0] as UndoCounts;
}

/** Returns SQL for the names of the uploads in the column `import_id` of `rows`, most rows first. */
function named(rows: string): string {
  return `coalesce((
    select jsonb_agg(jsonb_build_object('import_id', import_id, 'file_name', file_name, 'count', count) order by count desc, import_id)
    from (
      select l.import_id, i.file_name, count(*)::int as count from ${rows} l left join import_job i on i.id = l.import_id
      group by l.import_id, i.file_name order by count desc, l.import_id limit ${NAMED}
    ) named), '[]')`;
}

// The products of an upload: the first line of the log about each has the id of the upload, or that of another upload
// that was taken back and left it to this one. `is_named`: another upload names it too.
const OF_LINE = `select a.action, a.detail ->> 'import_id' as import_id from audit a where a.product_id = p.product_id order by a.id limit 1`;
export const ADDED = `
  select p.product_id, p.archived_at is null as is_open, is_own,
    exists (select from coupon c where c.product_id = p.product_id)
      or exists (select from access_grant g where g.product_id = p.product_id and g.withdrawn_at is null) as is_used,
    exists (select from product_source s where s.product_id = p.product_id and s.import_id <> $1::uuid) as is_named
  from product p cross join lateral (
    select import_id = $1::text as is_own, import_id from (${OF_LINE}) line where action = 'product.create') added
  where is_own or (
    exists (select from product_source s where s.product_id = p.product_id and s.import_id = $1::uuid)
    and exists (select from import_job i where i.id::text = added.import_id and i.state = 'taken_back'))`;

type ProductCounts = Pick<UndoPreview, 'products' | 'products_kept' | 'kept_later' | 'later'>;

/**
 * Counts the products of an upload that would be archived, and those that stay: with codes or grants (R-IMP-12), or
 * `kept_later` because a later upload names them too. `added` is the number of products of which the log says that the
 * upload added them.
 */
export async function countUndoneProducts(db: Db, id: string): Promise<ProductCounts & { added: number }> {
  const { rows } = await db.query<ProductCounts & { added: number }>(
    `with added as materialized (${ADDED}), later as materialized (
       select s.import_id from added join product_source s on s.product_id = added.product_id and s.import_id <> $1::uuid
       where is_open and not is_used
     )
     select count(*) filter (where is_open and not is_used and not is_named)::int as products,
       count(*) filter (where is_used or (is_open and is_named))::int as products_kept,
       count(*) filter (where is_open and not is_used and is_named)::int as kept_later, ${named('later')} as later,
       count(*) filter (where is_own)::int as added
     from added`,
    [id],
  );
  return rows[0] as ProductCounts & { added: number };
}
