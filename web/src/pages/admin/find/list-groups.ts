// Arranges the results of the search of staff in groups, and finds the parts of their texts that match.
import { type Found, type FoundCode, maskCode } from '@portal/contract';
import { say } from '../../../words/say.ts';
import { writeListState } from '../lists/list-address.ts';
import { personPath } from '../people/person-path.ts';

/**
 * One result. `path` is the page that it opens. `hint` is the text below the name. `item` is the person, the code or the
 * product.
 */
export type Row = { key: string; path: string; name: string; hint: string | null } & (
  | { kind: 'person'; item: Found['people'][number] }
  | { kind: 'code'; item: FoundCode }
  | { kind: 'product'; item: Found['products'][number] }
);
export type Group = { label: string; rows: Row[] };

/** Returns the groups that are not empty. The group with the best match comes first. */
export function listGroups(found: Found, q: string): Group[] {
  const code = found.code && codeRow(found.code, q);
  const people = found.people.map(
    (item): Row => ({
      kind: 'person',
      item,
      key: `person-${item.user_id}`,
      path: personPath(item.user_id),
      name: item.name?.trim() || item.email,
      hint: item.name?.trim() ? item.email : null,
    }),
  );
  const products = found.products.map(
    (item): Row => ({
      kind: 'product',
      item,
      key: `product-${item.product_id}`,
      path: `/admin/products/${item.product_id}`,
      name: item.name,
      hint: item.url,
    }),
  );
  // A code matches as a whole, so no other match is better.
  const groups = [
    { label: say('Code'), rows: code ? [code] : [], rank: 0 },
    { label: say('People'), rows: people, rank: bestRank(people, q) },
    { label: say('Products'), rows: products, rank: bestRank(products, q) },
  ];
  return groups.filter(({ rows }) => rows.length > 0).sort((a, b) => a.rank - b.rank);
}

function codeRow(item: FoundCode, q: string): Row {
  const { id, hint, holder } = item;
  return {
    kind: 'code',
    item,
    key: `code-${id}`,
    // The URL of the list of codes contains the search text (see list-address.ts).
    path: holder
      ? personPath(holder.user_id)
      : `/admin/coupons${writeListState({ q, filters: {}, cursors: [] })}`,
    name: maskCode(hint),
    hint: sayCodeState(item),
  };
}

function sayCodeState({ product: { name: product }, state, holder }: FoundCode): string {
  const person = holder?.name?.trim() || holder?.email;
  if (state === 'free') return say('{product}, available', { product });
  if (state === 'void') return say('{product}, void', { product });
  if (state === 'held')
    return person
      ? say('{product}, held by {person}', { product, person })
      : say('{product}, held by several people', { product });
  return person
    ? say('{product}, revoked, was held by {person}', { product, person })
    : say('{product}, revoked, was held by several people', { product });
}

/**
 * Returns the text before the match, the match, and the text after it. A match begins at the beginning of a word.
 * Returns null if nothing matches.
 */
export function splitAtMatch(text: string, q: string): [string, string, string] | null {
  const lower = text.toLowerCase();
  // Some letters have another length in lower case. The places in `lower` are then not those in `text`.
  if (lower.length !== text.length) return null;
  const at = ` ${lower}`.indexOf(` ${q.toLowerCase()}`);
  return at < 0 ? null : [text.slice(0, at), text.slice(at, at + q.length), text.slice(at + q.length)];
}

/** 0 if a whole text matches, 1 if the beginning of a text does, else 2. */
function bestRank(rows: Row[], q: string): number {
  const ranks = rows
    .flatMap(({ name, hint }) => [name, hint ?? ''])
    .map((text) => {
      const [before, , after] = splitAtMatch(text, q) ?? ['-', '', ''];
      if (before !== '') return 2;
      return after === '' ? 0 : 1;
    });
  return Math.min(...ranks, 2);
}
