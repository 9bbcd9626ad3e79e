// Selects people by cohort, role and search, for the list, the export and acts on all people. The search finds words of
// their name and address (R-FIND-01); the index app_user_terms contains these words.
import type { AppUser } from '@portal/contract';
import type { Db } from '../../db/database.ts';
import {
  COUNTED_MATCHES,
  countedMatches,
  idOfCursor,
  type Page,
  type Total,
} from '../../db/prefix-search.sql.ts';
import { getMemberTotal } from '../dashboard/tally.sql.ts';
import * as users from './people.sql.ts';
import { IS_OF_ROLE, isMemberOf, USER, type UserFilter } from './people.sql.ts';

/** `q` is the searched text; an empty one selects as none does. */
export type Selection = users.UserFilter & { q?: string | undefined };

const LAST_ID = '9223372036854775807';

/** Returns one page of the selected users, newest first; in a search, as `searchUsers` does. */
export async function listSelected(
  db: Db,
  { q, cohort_id, ...filter }: Selection,
  page: Page,
): Promise<AppUser[]> {
  if (q) return searchUsers(db, { ...filter, ...page, cohort_id, q });
  if (cohort_id === undefined) return users.listUsers(db, { ...filter, ...page });
  return listMembers(db, { ...filter, ...page, cohort_id });
}

/**
 * Returns the number of selected users. The number of those found by a search is counted up to `most`; without `most`, up
 * to COUNTED_MATCHES.
 */
export async function countSelected(
  db: Db,
  { q, cohort_id, role }: Selection,
  most?: number,
): Promise<Total> {
  if (q) return countFoundUsers(db, { role, cohort_id, q }, most);
  if (cohort_id === undefined) return users.countUsers(db, { role });
  const all = await getMemberTotal(db, cohort_id);
  if (role === undefined) return all;
  const admins = await countAdminMembers(db, cohort_id);
  return { total: role === 'admin' ? admins : all.total - admins, atLeast: false };
}

/**
 * Returns one page of the members of a cohort, newest users first. Reads the blocks of one page only, however many
 * members and users there are: with `offset 0`, the planner looks up one member after the other, and reads neither all
 * members nor all users in the order of their ids.
 */
async function listMembers(
  db: Db,
  { cohort_id, role, limit, after }: users.UserFilter & { cohort_id: string } & Page,
): Promise<AppUser[]> {
  const before = idOfCursor(after) ?? LAST_ID;
  const { rows } = await db.query<AppUser>(
    role === 'admin'
      ? `select ${users.USER} from app_user u
         where ${users.IS_OF_ROLE.admin} and u.id < $2 and ${users.isMemberOf('$1')}
         order by u.id desc limit $3`
      : `select u.* from cohort_member m cross join lateral (
           select ${users.USER} from app_user u where u.id = m.user_id and ${users.IS_OF_ROLE[role ?? 'any']} offset 0) u
         where m.cohort_id = $1 and m.user_id < $2
         order by m.user_id desc limit $3`,
    [cohort_id, before, limit],
  );
  return rows;
}

async function countAdminMembers(db: Db, cohort_id: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from app_user u
     where ${users.IS_OF_ROLE.admin} and ${users.isMemberOf('$1')}`,
    [cohort_id],
  );
  return rows[0]?.count ?? 0;
}

/**
 * Up to this number of matches, a search reads all of them from the index, which has no order, and sorts them. If there
 * are more, it reads people from the newest on until the page is full.
 */
const FEW_MATCHES = 5_000;

const MATCHES = 'person_terms(u.name, u.email) @@ $1::tsquery';
const NO_COHORT = '$2::uuid is null';
/**
 * SQL of the people that a search reads. `id` is the expression of app_user.id in whose order it reads them. The
 * parameter $2 is the cohort whose members are searched, or null.
 *
 * `offset 0` lets the planner look up the words in the index only, or one member after the other. `is true` lets it not
 * look up the words in the index.
 */
type Source = { people: string; condition: string; id: string };
const SOURCE: Record<'all' | 'members', Record<'few' | 'many', Source>> = {
  all: {
    few: {
      people: `(select * from app_user u where ${MATCHES} offset 0) u`,
      condition: NO_COHORT,
      id: 'u.id',
    },
    many: { people: 'app_user u', condition: `${NO_COHORT} and (${MATCHES}) is true`, id: 'u.id' },
  },
  members: {
    few: {
      people: `(select * from app_user u where ${MATCHES} offset 0) u`,
      condition: isMemberOf('$2'),
      id: 'u.id',
    },
    many: {
      people:
        'cohort_member m cross join lateral (select * from app_user u where u.id = m.user_id offset 0) u',
      condition: `m.cohort_id = $2::uuid and (${MATCHES}) is true`,
      id: 'm.user_id',
    },
  },
};

/** The search for a text. `words` is the text of a tsquery. */
type Search = { words: string; address: string; source: Source; cohort_id: string | null };
type Found = AppUser & { cursor: string };

/**
 * Returns one page of the people of whom each word of `q` begins a word of the name or a part of the address, in any
 * order, ignoring case and accents. If `q` is a whole address, this person comes first. All others follow, newest first.
 */
export async function searchUsers(
  db: Db,
  { q, role, cohort_id, limit, after = '' }: UserFilter & Page & { q: string },
): Promise<Found[]> {
  const search = await readSearch(db, q, cohort_id);
  if (search === null) return [];
  // Older web pages send a cursor that is only an id. With such a cursor, the page starts at the first match.
  const [, last = null, part = null] = /^(\d+)-([01])/.exec(after) ?? [];
  const select = (cursor: string) => `select ${USER}, u.id || '${cursor}' as cursor from`;
  const ofRole = IS_OF_ROLE[role ?? 'any'];
  const { rows: exact } =
    part === null
      ? await db.query<Found>(
          `${select('-0')} app_user u where u.email = $1 and ${ofRole} and ($2::uuid is null or ${isMemberOf('$2')})`,
          [search.address, search.cohort_id],
        )
      : { rows: [] };
  const { people, condition, id } = search.source;
  const { rows } = await db.query<Found>(
    `${select('-1')} ${people} where ${condition} and ${ofRole} and u.email <> $3
       and ${id} < coalesce($4::bigint, 9223372036854775807)
     order by ${id} desc limit $5`,
    [
      ...[search.words, search.cohort_id, search.address],
      ...[part === '1' ? last : null, limit - exact.length],
    ],
  );
  return [...exact, ...rows];
}

/** Returns the number of people that `searchUsers` finds, up to `most`. */
export async function countFoundUsers(
  db: Db,
  { q, role, cohort_id }: UserFilter & { q: string },
  most = COUNTED_MATCHES,
): Promise<Total> {
  const search = await readSearch(db, q, cohort_id);
  return countedMatches(search === null ? 0 : await count(db, search, most, role), most);
}

/** Returns null if `q` contains no word: it finds nobody. */
async function readSearch(db: Db, q: string, cohort_id: string | undefined): Promise<Search | null> {
  const { rows } = await db.query<{ words: string | null; address: string }>(
    'select person_term_query($1) as words, lower(btrim($1)) as address',
    [q],
  );
  const { words, address } = rows[0] as { words: string | null; address: string };
  if (words === null) return null;
  const all = { words, source: SOURCE.all.few, cohort_id: null };
  const isRare = (await count(db, all, FEW_MATCHES)) <= FEW_MATCHES;
  const sources = cohort_id === undefined ? SOURCE.all : SOURCE.members;
  return { words, address, source: isRare ? sources.few : sources.many, cohort_id: cohort_id ?? null };
}

/** Counts matches; at most `most` and one more. */
async function count(
  db: Db,
  { words, source: { people, condition }, cohort_id }: Omit<Search, 'address'>,
  most: number,
  role?: UserFilter['role'],
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from (
       select 1 from ${people} where ${condition} and ${IS_OF_ROLE[role ?? 'any']}
       limit $3) found`,
    [words, cohort_id, most + 1],
  );
  return rows[0]?.count ?? 0;
}
