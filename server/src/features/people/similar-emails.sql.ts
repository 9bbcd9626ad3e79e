// Finds known addresses that resemble an unknown one.
import type { Db } from '../../db/database.ts';
import { rangeOf } from '../../db/prefix-search.sql.ts';

/**
 * Returns at most `limit` known addresses that have the same text before the `@` as `email`, or the same text up to a
 * `+` (R-COHORT-18). Addresses without `+` come first; both groups are sorted. `email` must be in lower case.
 */
export async function listSimilarEmails(db: Db, email: string, limit: number): Promise<string[]> {
  const local = email.slice(0, email.lastIndexOf('@'));
  // With nothing before the `+`, every address that begins with `+` would resemble the other.
  const base = local.split('+', 1)[0];
  const ranges = (base ? [`${base}@`, `${base}+`] : [`${local}@`]).map(rangeOf);
  const { rows } = await db.query<{ email: string }>(
    `select found.email from unnest($1::text[], $2::text[]) with ordinality r (from_text, to_text, n) cross join lateral (
       select u.email from app_user u
       where u.email collate "C" >= r.from_text and u.email collate "C" < r.to_text
       order by u.email collate "C" limit $3) found
     order by r.n, found.email collate "C" limit $3`,
    [ranges.map(({ from }) => from), ranges.map(({ to }) => to), limit],
  );
  return rows.map((row) => row.email);
}
