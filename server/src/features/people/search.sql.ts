// Selects people by cohort, role and search text, for the list, the export and bulk actions. The search finds words of
// the name and the address (R-FIND-01). The index app_user_words contains these words.
//
// Four forms in the statements are for the query planner:
// - Administrators are few and have a partial index. The planner uses this index only if the statement contains the
//   literal 'admin'. So each list has a separate statement for administrators.
// - The database evaluates `(select true from cohort_member …)` for one user after the other, in the order of the list.
//   With `exists`, the planner may read all members.
// - `offset 0` prevents that the planner merges a subquery into the statement. So members are looked up one after the
//   other, and words are looked up only in the index.
// - With `(…) is true`, the planner does not use the index of the words.
import type { AppUser, PeopleSort } from '@portal/contract';
import type { Db } from '../../db/database.ts';
import {
  COUNTED_MATCHES,
  countedMatches,
  cursorOf,
  findPrefixRange,
  idOfCursor,
  type Page,
  type Place,
  rangeOf,
  searchParts,
  type Total,
} from '../../db/prefix-search.sql.ts';
import { getMemberTotal, getUserTotal } from '../dashboard/tally.sql.ts';
import { countAdmins, USER } from './people.sql.ts';

/** With `cohort_id`, a UUID, only the members of this cohort. */
type UserFilter = { role?: AppUser['user_role'] | undefined; cohort_id?: string | undefined };

/** `q` is the searched text. An empty text selects the same users as no text. */
export type Selection = UserFilter & { q?: string | undefined };

/** `is_linked` is true if the person has signed in, also at a hosted service. */
export type PersonOfList = AppUser & { created_at: string; is_linked: boolean };

const LISTED = `${USER}, u.created_at, u.auth_id is not null as is_linked`;

const LAST_ID = '9223372036854775807';

/** Returns one page of the selected users, newest first. With `q`, the page has the order of `searchUsers`. */
export async function listSelected(
  db: Db,
  { q, cohort_id, ...filter }: Selection,
  page: Page,
): Promise<PersonOfList[]> {
  if (q) return searchUsers(db, { ...filter, ...page, cohort_id, q });
  if (cohort_id === undefined) return listUsers(db, { ...filter, ...page });
  return listMembers(db, { ...filter, ...page, cohort_id });
}

/** Returns the number of selected users. With `q`, counts only up to `most`, which is COUNTED_MATCHES by default. */
export async function countSelected(
  db: Db,
  { q, cohort_id, role }: Selection,
  most?: number,
): Promise<Total> {
  if (q) return countFoundUsers(db, { role, cohort_id, q }, most);
  if (cohort_id === undefined) return countUsers(db, { role });
  const all = await getMemberTotal(db, cohort_id);
  if (role === undefined) return all;
  const admins = await countAdminMembers(db, cohort_id);
  return { total: role === 'admin' ? admins : all.total - admins, atLeast: false };
}

/** Returns one page of the users of all cohorts, newest first. */
export async function listUsers(
  db: Db,
  { limit, after, role }: Omit<UserFilter, 'cohort_id'> & Page,
): Promise<PersonOfList[]> {
  const before = idOfCursor(after) ?? LAST_ID;
  const { rows } =
    role === 'admin'
      ? await db.query<PersonOfList>(
          `select ${LISTED} from app_user u where u.id < $1 and u.user_role = 'admin'
           order by u.id desc limit $2`,
          [before, limit],
        )
      : await db.query<PersonOfList>(
          `select ${LISTED} from app_user u
           where u.id < $1 and u.erased_at is null and ($3::text is null or u.user_role = $3)
           order by u.id desc limit $2`,
          [before, limit, role ?? null],
        );
  return rows;
}

/** The texts by which users are sorted, in SQL. Each has an index. */
const SORT_KEYS = { email: 'u.email collate "C"', name: 'lower(u.name) collate "C"' };

/**
 * Returns one page of users in the order `sort` (N-205). Users without a name, or without a sign-in, come last, oldest
 * first. Reads the blocks of one page only, however many users there are.
 */
export async function listSortedUsers(
  db: Db,
  { sort, role, limit, after }: Pick<UserFilter, 'role'> & Page & { sort: PeopleSort },
): Promise<PersonOfList[]> {
  if (sort === 'created') return listUsers(db, { role, limit, after });
  if (sort === '-created') return listOldestUsers(db, { role, limit, after });
  const isReversed = sort.startsWith('-');
  if (sort === 'last_sign_in' || sort === '-last_sign_in')
    return searchParts({ from: '', to: '' }, { limit, after }, [
      (part) => listBySignIn(db, { ...part, isReversed, role }),
      (part) => listNeverSignedIn(db, { ...part, role }),
    ]);
  const key = SORT_KEYS[sort === 'email' || sort === '-email' ? 'email' : 'name'];
  const start = isReversed ? rangeOf('').to : '';
  return searchParts({ from: start, to: '' }, { limit, after }, [
    (part) => listNamedUsers(db, { ...part, key, isReversed, role }),
    (part) => (key === SORT_KEYS.email ? Promise.resolve([]) : listNamelessUsers(db, { ...part, role })),
  ]);
}

type Part = Pick<UserFilter, 'role'> & { from: Place; limit: number };

async function listNamedUsers(
  db: Db,
  { key, isReversed, from, limit, role }: Part & { key: string; isReversed: boolean },
): Promise<PersonOfList[]> {
  const [after, order] = isReversed ? ['<', 'desc'] : ['>', 'asc'];
  const { rows } = await db.query<PersonOfList>(
    `select ${LISTED},
       ${cursorOf(0, { text: key, id: 'u.id' })} as cursor
     from app_user u
     where (${key}, u.id) ${after} ($1 collate "C", $2::bigint) and u.erased_at is null and ${ofRole(role)}
     order by ${key} ${order}, u.id ${order} limit $3`,
    [from.text, from.id, limit],
  );
  return rows;
}

async function listNamelessUsers(db: Db, { from, limit, role }: Part): Promise<PersonOfList[]> {
  const { rows } = await db.query<PersonOfList>(
    `select ${LISTED}, u.id || '-1' as cursor
     from app_user u
     where lower(u.name) collate "C" is null and u.id > $1 and u.erased_at is null and ${ofRole(role)}
     order by lower(u.name) collate "C", u.id limit $2`,
    [from.id, limit],
  );
  return rows;
}

const SIGN_IN_MICROSECONDS = '(extract(epoch from l.at) * 1000000)::bigint::text';

async function listBySignIn(
  db: Db,
  { isReversed, from, limit, role }: Part & { isReversed: boolean },
): Promise<PersonOfList[]> {
  const [after, order, start] = isReversed ? ['>', 'asc', '-infinity'] : ['<', 'desc', 'infinity'];
  // The cursor of another list has another text, and begins with the first page.
  const isTime = /^\d{1,16}$/.test(from.text);
  const { rows } = await db.query<PersonOfList>(
    `select ${LISTED}, ${cursorOf(0, { text: SIGN_IN_MICROSECONDS, id: 'l.person_id' })} as cursor
     from person_sign_in l join app_user u on u.id = l.person_id
     where (l.at, l.person_id) ${after} (coalesce(
         timestamptz 'epoch' + $1::bigint * interval '1 microsecond', timestamptz '${start}'), $2::bigint)
       and ${ofRole(role)}
     order by l.at ${order}, l.person_id ${order} limit $3`,
    [isTime ? from.text : null, isTime ? from.id : '0', limit],
  );
  return rows;
}

async function listNeverSignedIn(db: Db, { from, limit, role }: Part): Promise<PersonOfList[]> {
  const { rows } = await db.query<PersonOfList>(
    `select ${LISTED}, l.person_id || '-1' as cursor
     from person_sign_in l join app_user u on u.id = l.person_id
     where l.at is null and l.person_id > $1 and ${ofRole(role)}
     order by l.at, l.person_id limit $2`,
    [from.id, limit],
  );
  return rows;
}

async function listOldestUsers(db: Db, { limit, after, role }: Omit<UserFilter, 'cohort_id'> & Page) {
  const { rows } = await db.query<PersonOfList>(
    `select ${LISTED}
     from app_user u where u.id > $1 and u.erased_at is null and ${ofRole(role)} order by u.id limit $2`,
    [idOfCursor(after) ?? '0', limit],
  );
  return rows;
}

/** Returns a literal: PostgreSQL uses the index of the administrators only for a statement with the literal 'admin'. */
const ofRole = (role: UserFilter['role']) => (role ? `u.user_role = '${role}'` : 'true');

/** Returns the number of all users, or of the users with one role, in all cohorts. */
export async function countUsers(db: Db, { role }: Omit<UserFilter, 'cohort_id'>): Promise<Total> {
  const all = await getUserTotal(db);
  if (!role) return all;
  const admins = await countAdmins(db);
  return { total: role === 'admin' ? admins : all.total - admins, atLeast: false };
}

/**
 * Returns one page of the members of a cohort, newest users first. Reads only the rows of this page, so the time does
 * not grow with the number of members and users.
 */
async function listMembers(
  db: Db,
  { cohort_id, role, limit, after }: UserFilter & { cohort_id: string } & Page,
): Promise<PersonOfList[]> {
  const before = idOfCursor(after) ?? LAST_ID;
  const { rows } =
    role === 'admin'
      ? await db.query<PersonOfList>(
          `select ${LISTED} from app_user u
           where u.user_role = 'admin' and u.id < $2
             and (select true from cohort_member m where m.cohort_id = $1 and m.user_id = u.id)
           order by u.id desc limit $3`,
          [cohort_id, before, limit],
        )
      : await db.query<PersonOfList>(
          `select ${LISTED}
           from cohort_member m cross join lateral (
             select * from app_user u where u.id = m.user_id and ($4::text is null or u.user_role = $4) offset 0) u
           where m.cohort_id = $1 and m.user_id < $2
           order by m.user_id desc limit $3`,
          [cohort_id, before, limit, role ?? null],
        );
  return rows;
}

async function countAdminMembers(db: Db, cohort_id: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from app_user u
     where u.user_role = 'admin'
       and (select true from cohort_member m where m.cohort_id = $1 and m.user_id = u.id)`,
    [cohort_id],
  );
  return rows[0]?.count ?? 0;
}

/**
 * Up to this number of matches, a search reads all matches from the index, which has no order, and sorts them. With
 * more matches, the search reads people from the newest on until the page is full.
 */
const FEW_MATCHES = 5_000;

type Way = 'few' | 'many' | 'manyMembers' | 'admins';

// Statements that return the matches of a search, newest first. $1: the words. $2: the cohort, or null. $3: an address
// that is left out. $4: only smaller ids. $5: the maximum number of people. $6: the role, or null.
const FIND: Record<Way, string> = {
  few: `
    select ${LISTED}, u.id || '-1' as cursor
    from (select * from app_user u where person_terms(u.name, u.email) @@ $1::tsquery offset 0) u
    where ($2::uuid is null or (select true from cohort_member m where m.cohort_id = $2::uuid and m.user_id = u.id))
      and u.email <> $3 and u.id < $4 and u.erased_at is null and ($6::text is null or u.user_role = $6)
    order by u.id desc limit $5`,
  many: `
    select ${LISTED}, u.id || '-1' as cursor from app_user u
    where $2::uuid is null and (person_terms(u.name, u.email) @@ $1::tsquery) is true
      and u.email <> $3 and u.id < $4 and u.erased_at is null and ($6::text is null or u.user_role = $6)
    order by u.id desc limit $5`,
  manyMembers: `
    select ${LISTED}, u.id || '-1' as cursor
    from cohort_member m cross join lateral (select * from app_user u where u.id = m.user_id offset 0) u
    where m.cohort_id = $2::uuid and (person_terms(u.name, u.email) @@ $1::tsquery) is true
      and u.email <> $3 and m.user_id < $4 and ($6::text is null or u.user_role = $6)
    order by m.user_id desc limit $5`,
  admins: `
    select ${LISTED}, u.id || '-1' as cursor from app_user u
    where u.user_role = 'admin' and (person_terms(u.name, u.email) @@ $1::tsquery) is true
      and ($2::uuid is null or (select true from cohort_member m where m.cohort_id = $2::uuid and m.user_id = u.id))
      and u.email <> $3 and u.id < $4 and $6::text = 'admin'
    order by u.id desc limit $5`,
};

// Statements that count the matches of a search, at most $3. $1: the words. $2: the cohort, or null. $4: the role, or
// null.
const COUNT: Record<Way, string> = {
  few: `
    select count(*)::int as count from (
      select 1 from (select * from app_user u where person_terms(u.name, u.email) @@ $1::tsquery offset 0) u
      where ($2::uuid is null or (select true from cohort_member m where m.cohort_id = $2::uuid and m.user_id = u.id))
        and u.erased_at is null and ($4::text is null or u.user_role = $4)
      limit $3) found`,
  many: `
    select count(*)::int as count from (
      select 1 from app_user u
      where $2::uuid is null and (person_terms(u.name, u.email) @@ $1::tsquery) is true
        and u.erased_at is null and ($4::text is null or u.user_role = $4)
      limit $3) found`,
  manyMembers: `
    select count(*)::int as count from (
      select 1 from cohort_member m cross join lateral (select * from app_user u where u.id = m.user_id offset 0) u
      where m.cohort_id = $2::uuid and (person_terms(u.name, u.email) @@ $1::tsquery) is true
        and u.erased_at is null and ($4::text is null or u.user_role = $4)
      limit $3) found`,
  admins: `
    select count(*)::int as count from (
      select 1 from app_user u
      where u.user_role = 'admin' and (person_terms(u.name, u.email) @@ $1::tsquery) is true
        and ($2::uuid is null or (select true from cohort_member m where m.cohort_id = $2::uuid and m.user_id = u.id))
        and $4::text = 'admin'
      limit $3) found`,
};

/**
 * A parsed search text. `words` is the text of a tsquery, `address` the whole search text in lower case. `way` selects
 * the statement.
 */
type Search = { words: string; address: string; way: Way; cohort_id: string | null };
type Found = PersonOfList & { cursor: string };

/**
 * Returns one page of the people whom `q` finds. Each word of `q` must be the beginning of a word of the name or of a
 * part of the address. The order of the words, the case and accents do not matter. If `q` is a whole address, the
 * person with this address comes first. All others follow, newest first.
 */
export async function searchUsers(
  db: Db,
  { q, role, cohort_id, limit, after = '' }: UserFilter & Page & { q: string },
): Promise<Found[]> {
  const search = await readSearch(db, { q, role, cohort_id });
  if (search === null) return [];
  // Older web pages send a cursor that is only an id. With such a cursor, the page starts at the first match.
  const [, last = null, part = null] = /^(\d+)-([01])/.exec(after) ?? [];
  const { rows: exact } =
    part === null
      ? await db.query<Found>(
          `select ${LISTED}, u.id || '-0' as cursor from app_user u
           where u.email = $1 and u.erased_at is null and ($3::text is null or u.user_role = $3) and ($2::uuid is null
             or (select true from cohort_member m where m.cohort_id = $2::uuid and m.user_id = u.id))`,
          [search.address, search.cohort_id, role ?? null],
        )
      : { rows: [] };
  const before = part === '1' && last !== null ? last : LAST_ID;
  const { rows } = await db.query<Found>(FIND[search.way], [
    ...[search.words, search.cohort_id, search.address],
    ...[before, limit - exact.length, role ?? null],
  ]);
  return [...exact, ...rows];
}

/**
 * Returns at most `limit` people whom `q` finds, the best match first: the address `q`, addresses that begin with `q`,
 * names that begin with `q`, and then the order of `searchUsers` (R-DAY-34).
 */
export async function searchBestUsers(
  db: Db,
  { q, limit }: { q: string; limit: number },
): Promise<PersonOfList[]> {
  const { from, to } = await findPrefixRange(db, q);
  // Of the addresses that begin with `q`, the address that is equal to `q` sorts first.
  const { rows: byAddress } = await db.query<PersonOfList>(
    `select ${LISTED} from app_user u
     where u.email collate "C" >= $1 and u.email collate "C" < $2 and u.erased_at is null
     order by u.email collate "C", u.id limit $3`,
    [from, to, limit],
  );
  const found = new Map(byAddress.map((user) => [user.id, user]));
  const add = (users: PersonOfList[]) => {
    for (const user of users) if (found.size < limit && !found.has(user.id)) found.set(user.id, user);
  };
  // A list that is not full has all people of its range. So `limit` rows of the next list are enough.
  if (found.size < limit) {
    const { rows: byName } = await db.query<PersonOfList>(
      `select ${LISTED} from app_user u where lower(u.name) collate "C" >= $1 and lower(u.name) collate "C" < $2
       order by lower(u.name) collate "C", u.id limit $3`,
      [from, to, limit],
    );
    add(byName);
  }
  if (found.size < limit) add(await searchUsers(db, { q, limit }));
  return [...found.values()];
}

/** Returns the number of people that `searchUsers` finds, up to `most`. */
export async function countFoundUsers(
  db: Db,
  { q, role, cohort_id }: UserFilter & { q: string },
  most = COUNTED_MATCHES,
): Promise<Total> {
  const search = await readSearch(db, { q, role, cohort_id });
  return countedMatches(search === null ? 0 : await count(db, search, most, role), most);
}

/**
 * Parses the search text, and selects the statement by the number of matches. Returns null if `q` contains no word,
 * because such a search finds nobody.
 */
async function readSearch(
  db: Db,
  { q, role, cohort_id: cohort }: UserFilter & { q: string },
): Promise<Search | null> {
  const cohort_id = cohort ?? null;
  const { rows } = await db.query<{ words: string | null; address: string }>(
    'select person_term_query($1) as words, lower(btrim($1)) as address',
    [q],
  );
  const { words, address } = rows[0] as { words: string | null; address: string };
  if (words === null) return null;
  const isRare = (await count(db, { words, way: 'few', cohort_id: null }, FEW_MATCHES)) <= FEW_MATCHES;
  const many = role === 'admin' ? 'admins' : cohort_id === null ? 'many' : 'manyMembers';
  return { words, address, way: isRare ? 'few' : many, cohort_id };
}

/** Returns the number of matches, but at most `most` + 1. */
async function count(
  db: Db,
  { words, way, cohort_id }: Omit<Search, 'address'>,
  most: number,
  role?: UserFilter['role'],
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(COUNT[way], [words, cohort_id, most + 1, role ?? null]);
  return rows[0]?.count ?? 0;
}
