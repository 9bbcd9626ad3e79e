// Finds people by words of their name and address (R-FIND-01). The index app_user_words contains these words.
import type { AppUser } from '@portal/contract';
import type { Db } from '../db/database.ts';
import { COUNTED_MATCHES, countedMatches, type Page, type Total } from './prefix-search.ts';
import { IS_OF_ROLE, USER, type UserFilter } from './users.ts';

/**
 * Up to this number of matches, a search reads all of them from the index, which has no order, and sorts them. If there
 * are more, it reads people from the newest on until the page is full.
 */
const FEW_MATCHES = 5_000;

const MATCHES = 'person_words(u.name, u.email) @@ $1::tsquery';
// `offset 0` lets the planner look up the words in the index only. `is true` lets it not do that.
const SOURCE = {
  few: { people: `(select * from app_user u where ${MATCHES} offset 0) u`, condition: 'true' },
  many: { people: 'app_user u', condition: `(${MATCHES}) is true` },
};

/** The search for a text. `words` is the text of a tsquery. */
type Search = { words: string; address: string; source: (typeof SOURCE)[keyof typeof SOURCE] };
type Found = AppUser & { cursor: string };

/**
 * Returns one page of the people of whom each word of `q` begins a word of the name or a part of the address, in any
 * order, ignoring case and accents. If `q` is a whole address, this person comes first. All others follow, newest first.
 */
export async function searchUsers(
  db: Db,
  { q, role, limit, after = '' }: UserFilter & Page & { q: string },
): Promise<Found[]> {
  const search = await readSearch(db, q);
  if (search === null) return [];
  // Older web pages send a cursor that is only an id. With such a cursor, the page starts at the first match.
  const [, last = null, part = null] = /^(\d+)-([01])/.exec(after) ?? [];
  const select = (cursor: string) => `select ${USER}, u.id || '${cursor}' as cursor from`;
  const ofRole = IS_OF_ROLE[role ?? 'any'];
  const { rows: exact } =
    part === null
      ? await db.query<Found>(`${select('-0')} app_user u where u.email = $1 and ${ofRole}`, [search.address])
      : { rows: [] };
  const { people, condition } = search.source;
  const { rows } = await db.query<Found>(
    `${select('-1')} ${people} where ${condition} and ${ofRole} and u.email <> $2
       and u.id < coalesce($3::bigint, 9223372036854775807)
     order by u.id desc limit $4`,
    [search.words, search.address, part === '1' ? last : null, limit - exact.length],
  );
  return [...exact, ...rows];
}

/** Returns the number of people that `searchUsers` finds, up to COUNTED_MATCHES. */
export async function countFoundUsers(db: Db, { q, role }: UserFilter & { q: string }): Promise<Total> {
  const search = await readSearch(db, q);
  return countedMatches(search === null ? 0 : await count(db, search, COUNTED_MATCHES, role));
}

/** Returns null if `q` contains no word: it finds nobody. */
async function readSearch(db: Db, q: string): Promise<Search | null> {
  const { rows } = await db.query<{ words: string | null; address: string }>(
    'select person_query($1) as words, lower(btrim($1)) as address',
    [q],
  );
  const { words, address } = rows[0] as { words: string | null; address: string };
  if (words === null) return null;
  const isRare = (await count(db, { words, source: SOURCE.few }, FEW_MATCHES)) <= FEW_MATCHES;
  return { words, address, source: isRare ? SOURCE.few : SOURCE.many };
}

/** Counts matches; at most `most` and one more. */
async function count(
  db: Db,
  { words, source: { people, condition } }: Pick<Search, 'words' | 'source'>,
  most: number,
  role?: UserFilter['role'],
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from (
       select 1 from ${people} where ${condition} and ${IS_OF_ROLE[role ?? 'any']} limit $2) found`,
    [words, most + 1],
  );
  return rows[0]?.count ?? 0;
}
