// Prefix search with keyset pagination. The indexes of the searches contain texts in lower case, sorted by their bytes.
import type { Db } from './database.ts';

/** A search counts at most this number of matches. Counting all matches could read a whole table. */
export const COUNTED_MATCHES = 1_000;

/** Number of rows of a list. `atLeast` is true if the list has more than `total` rows. */
export type Total = { total: number; atLeast: boolean };

/**
 * One page of a list: the first `limit` rows after the row with the cursor `after`. Without `after`, the first page.
 */
export type Page = {
  limit: number;
  after?: string | undefined;
  /** True if the client fetches all pages. */
  isExport?: boolean;
  /** True if only the cursors of the rows are needed. */
  isSkipped?: boolean;
};

/** A range of sorted texts. The range includes `from` and ends before `to`. */
export type PrefixRange = { from: string; to: string };

/** Position in search results, which are sorted by text and then by id. */
export type Place = { text: string; id: string };

/**
 * Returns the range of texts that begin with `q`, ignoring case. The database converts `q` to lower case in the same
 * way as the texts of the index. JavaScript converts some letters differently, for example the Greek final sigma.
 */
export async function findPrefixRange(db: Db, q: string): Promise<PrefixRange> {
  const { rows } = await db.query<{ from: string }>('select lower($1::text) as from', [q]);
  return rangeOf(rows[0]?.from ?? '');
}

/** Returns the range of texts that begin with `from`, with the same case. */
export function rangeOf(from: string): PrefixRange {
  // No text contains U+10FFFF, the highest code point. So every text that begins with `from` sorts before `to`.
  return { from, to: `${from}\u{10ffff}` };
}

/** Returns the range that contains only the text `from`. */
export function toExactRange({ from }: PrefixRange): PrefixRange {
  // Texts in PostgreSQL contain no U+0000, so no text sorts between `from` and `from` followed by U+0001.
  return { from, to: `${from}\u0001` };
}

/** Returns the id that a cursor contains, or null if there is no cursor. */
export function idOfCursor(cursor: string | undefined): string | null {
  return cursor?.split('-', 1)[0] ?? null;
}

/**
 * Returns SQL that computes the cursor of a row: the id, the number of the search that found the row (see
 * `searchParts`), and the text by which the results are sorted, in hexadecimal. The text is part of the cursor so that
 * the next page is found even if the row was deleted or renamed meanwhile.
 */
export function cursorOf(part: 0 | 1, { text, id }: Place): string {
  return `${id} || '-${part}' || encode(convert_to(${text}, 'UTF8'), 'hex')`;
}

/**
 * Returns one page of the results of two searches: first all matches of the first search, then all matches of the
 * second. A cursor that is only an id comes from an older version of the web pages; it gets the first page.
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

/** Returns the total of a search. Counting stops at `most` + 1, so `count` is not higher. */
export function countedMatches(count: number, most = COUNTED_MATCHES): Total {
  return { total: Math.min(count, most), atLeast: count > most };
}
