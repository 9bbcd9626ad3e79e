// Arranges the results of the search of staff in groups.
import { type Found, type FoundCode, maskCode } from '@portal/contract';
import { say } from '../../../words/say.ts';
import { writeListState } from '../lists/list-address.ts';
import { fold } from '../mark-words.ts';
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
  if (state === 'expired') return say('{product}, expired', { product });
  if (state === 'held')
    return person
      ? say('{product}, held by {person}', { product, person })
      : say('{product}, held by several people', { product });
  return person
    ? say('{product}, revoked, was held by {person}', { product, person })
    : say('{product}, revoked, was held by several people', { product });
}

/** 0 if a whole text is `q`, 1 if a text begins with it, else 2. */
function bestRank(rows: Row[], q: string): number {
  const searched = fold(q);
  const texts = rows.flatMap(({ name, hint }) => [name, hint ?? '']).map(fold);
  if (texts.includes(searched)) return 0;
  return texts.some((text) => text.startsWith(searched)) ? 1 : 2;
}
