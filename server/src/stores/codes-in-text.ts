// Finds codes of products in a text that staff typed.
import type { Db } from '../db/database.ts';

/**
 * Returns true if one of `words` is a code of a product. `product_ids` contains the products whose codes are compared;
 * null: all products. Upper and lower case are different.
 */
export async function isAnyCode(
  db: Db,
  { words, product_ids }: { words: readonly string[]; product_ids: readonly string[] | null },
): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>(
    // Two conditions, one for each index: coupon_code_once contains the codes that are not shared.
    `select exists (
       select from product p where ($2::uuid[] is null or p.product_id = any($2)) and (
         exists (select from coupon c where c.product_id = p.product_id and not c.shared and c.coupon_code = any($1))
         or exists (select from coupon c where c.product_id = p.product_id and c.shared and c.coupon_code = any($1)))
     ) as found`,
    [words, product_ids],
  );
  return rows[0]?.found ?? false;
}
