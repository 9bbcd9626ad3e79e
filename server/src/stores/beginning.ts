// Searching by how a text begins, as the search indexes hold it: in lower case, compared by bytes.
import type { Db } from '../db/database.ts';

/** More matches of a search than this are not counted, only said to be more. */
export const COUNTED_MATCHES = 1_000;

/** How many rows a list has; `atLeast`: there may be more than `total`. */
export type Total = { total: number; atLeast: boolean };

/** One page of a list: `limit` rows after the one with id `after`. */
export type Page = {
  limit: number;
  after?: string | undefined;
  /** One page after the other will be asked for, to the end. */
  isWhole?: boolean;
};

/** Texts from `from` up to, not including, `to`. */
export type Beginning = { from: string; to: string; matches(text: string): boolean };

/**
 * What begins with `q`, whatever the case. The database folds the case, because it did so for the index: JavaScript
 * differs about letters such as the Greek final sigma.
 */
export async function foldBeginning(db: Db, q: string): Promise<Beginning> {
  const { rows } = await db.query<{ from: string }>('select lower($1::text) as from', [q]);
  const from = rows[0]?.from ?? '';
  // The last code point there is: no text goes on with it.
  return { from, to: `${from}\u{10ffff}`, matches: (text) => text.startsWith(from) };
}

/** What is said of a search that found `count` rows, of which one more than COUNTED_MATCHES were looked at. */
export function countedMatches(count: number): Total {
  return { total: Math.min(count, COUNTED_MATCHES), atLeast: count > COUNTED_MATCHES };
}
