// Searching by how a text begins, as the search indexes hold it: in lower case, compared by bytes.
import type { Db } from '../db/database.ts';

/** More matches of a search than this are not counted, only said to be more. */
export const COUNTED_MATCHES = 1_000;

/** How many rows a list has; `atLeast`: there may be more than `total`. */
export type Total = { total: number; atLeast: boolean };

/** One page of a list: `limit` rows after the one with the cursor `after`. */
export type Page = {
  limit: number;
  after?: string | undefined;
  /** One page after the other will be asked for, to the end. */
  isExport?: boolean;
};

/** Texts from `from` up to, not including, `to`. */
export type PrefixRange = { from: string; to: string };

/** Where a page of a search begins: after the row with this text and id, in the order of both. */
export type Place = { text: string; id: string };

/**
 * What begins with `q`, whatever the case. The database folds the case, because it did so for the index: JavaScript
 * differs about letters such as the Greek final sigma.
 */
export async function findPrefixRange(db: Db, q: string): Promise<PrefixRange> {
  const { rows } = await db.query<{ from: string }>('select lower($1::text) as from', [q]);
  const from = rows[0]?.from ?? '';
  // The last code point there is: no text goes on with it.
  return { from, to: `${from}\u{10ffff}` };
}

/** The id in a cursor; null without one. */
export function idOfCursor(cursor: string | undefined): string | null {
  return cursor?.split('-', 1)[0] ?? null;
}

/**
 * SQL for the cursor of the row `id` in a search, which holds the text that sorts it: the row itself may be gone or renamed
 * when the next page is asked for.
 */
export function cursorOf(part: 0 | 1, { text, id }: Place): string {
  return `${id} || '-${part}' || encode(convert_to(${text}, 'UTF8'), 'hex')`;
}

/** One page of a search whose matches stand in two parts. Begins anew at a cursor that is an id alone. */
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

/** What is said of a search that found `count` rows, of which one more than COUNTED_MATCHES were looked at. */
export function countedMatches(count: number): Total {
  return { total: Math.min(count, COUNTED_MATCHES), atLeast: count > COUNTED_MATCHES };
}
