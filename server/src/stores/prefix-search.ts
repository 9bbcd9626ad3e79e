// Prefix search with keyset pagination. The search indexes contain texts in lower case, sorted by bytes.
import type { Db } from '../db/database.ts';

/** A search counts at most this many matches, because counting all of them could read a whole table. */
export const COUNTED_MATCHES = 1_000;

/** Number of rows of a list. If `atLeast` is true, there are more than `total`. */
export type Total = { total: number; atLeast: boolean };

/** One page of a list: `limit` rows after the row with the cursor `after`, or the first ones. */
export type Page = {
  limit: number;
  after?: string | undefined;
  /** True if the client fetches all pages. */
  isExport?: boolean;
};

/** A range of texts: `from` is included, `to` is excluded. */
export type PrefixRange = { from: string; to: string };

/** Position in a search, sorted by text and id. The page begins after it. */
export type Place = { text: string; id: string };

/**
 * Returns the range of texts that begin with `q`, in any case. The database converts `q` to lower case, as for the
 * index, because JavaScript converts some letters differently (for example, the Greek final sigma).
 */
export async function findPrefixRange(db: Db, q: string): Promise<PrefixRange> {
  const { rows } = await db.query<{ from: string }>('select lower($1::text) as from', [q]);
  const from = rows[0]?.from ?? '';
  // U+10FFFF is the highest code point and no character, so every text that begins with `from` sorts before `to`.
  return { from, to: `${from}\u{10ffff}` };
}

/** Returns the id in a cursor, or null if there is no cursor. */
export function idOfCursor(cursor: string | undefined): string | null {
  return cursor?.split('-', 1)[0] ?? null;
}

/**
 * Returns SQL for the cursor of a row: id, number of the part (see `searchParts`), and the sorted text in hexadecimal.
 * The cursor contains the text, because the row may be deleted or renamed before the next page is requested.
 */
export function cursorOf(part: 0 | 1, { text, id }: Place): string {
  return `${id} || '-${part}' || encode(convert_to(${text}, 'UTF8'), 'hex')`;
}

/**
 * Returns one page of a search that consists of two searches, one after the other. A cursor that is only an id starts
 * from the first match.
 */
export async function searchParts<T>(
  { from }: PrefixRange,
  { limit, after }: Page,
  parts: ((page: { from: Place; limit: number }) => Promise<T[]>)[],
): Promise<T[]> {
  const [, id = '', at, hex = ''] = /^(\d+)-([01])(.*)$/.exec(after ?? '') ?? [];
  const rows: T[] = [];
  for (const [part, search] of parts.entries()) {
    if (part < Number(at ?? 0) || rows.length === limit) continue;
    const place =
      at === String(part) ? { text: Buffer.from(hex, 'hex').toString(), id } : { text: from, id: '0' };
    rows.push(...(await search({ from: place, limit: limit - rows.length })));
  }
  return rows;
}

/** Returns the total of a search. `count` is the number of matches, counted up to COUNTED_MATCHES + 1. */
export function countedMatches(count: number): Total {
  return { total: Math.min(count, COUNTED_MATCHES), atLeast: count > COUNTED_MATCHES };
}
