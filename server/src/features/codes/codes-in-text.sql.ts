// Finds codes of products in a text that staff typed.
import type { Db } from '../../db/database.ts';

/** A code with fewer letters and digits is found as a whole word only: it could be a part of any word. */
const LEAST_INSIDE = 6;
const LETTERS = 'code_letters(c.coupon_code) collate "C"';

/**
 * Returns true if the text contains a code of a product. Compares letters and digits only, in lower case: a code is also
 * found inside a word, and with other signs between its letters (N-322). Also finds a code that is one of `words`, as it
 * is. `product_ids` contains the products whose codes are compared; null: all products.
 *
 * Each beginning of a code in the text is looked up in the index coupon_letters: the greatest code that is not greater
 * than the rest of the text. If a code begins the rest, this code begins with it too. So the search goes on with the
 * letters that the two have in common, until fewer than six are left.
 */
export async function hasCode(
  db: Db,
  {
    text,
    words,
    product_ids,
  }: { text: string; words: readonly string[]; product_ids: readonly string[] | null },
): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>(
    `with recursive rest (text, code) as (
       select substr(letters, at, 255) collate "C", null::text collate "C"
       from code_letters($1) letters cross join lateral generate_series(1, char_length(letters) - ${LEAST_INSIDE - 1}) at
       union
       select left(near.text, shared.length - (shared.length = char_length(near.text))::int),
         case when shared.length = char_length(near.text) then near.text end
       from rest cross join lateral (
         select ${LETTERS} as text from coupon c where ${LETTERS} <= rest.text order by ${LETTERS} desc limit 1) near
       cross join lateral (
         select max(n) as length
         from generate_series(${LEAST_INSIDE}, least(char_length(rest.text), char_length(near.text))) n
         where left(rest.text, n) = left(near.text, n)) shared
       where shared.length is not null
     ), codes (letters) as (
       select code from rest where code is not null
       union
       select code_letters(word) from unnest($2::text[]) word where code_letters(word) <> ''
     )
     select exists (
       select from codes join coupon c on ${LETTERS} = codes.letters collate "C"
       where $3::uuid[] is null or c.product_id = any($3)
     ) or exists (
       select from product p cross join unnest($2::text[]) word
       where ($3::uuid[] is null or p.product_id = any($3)) and code_letters(word) = '' and exists (
         select from coupon c where c.product_id = p.product_id and c.coupon_code = word)
     ) as found`,
    [text, words, product_ids],
  );
  return rows[0]?.found ?? false;
}
