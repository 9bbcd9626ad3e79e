// Reads how many codes are left, and records which low-stock alerts were sent.
import type { Db } from '../../db/database.ts';

type Stock = { product_id: string; name: string; left: number; total: number };
export type LowStock = Stock & { level: 'low' | 'empty' };

/**
 * Returns the products with less than a tenth of their codes left, the fewest first. Products with shared codes are
 * left out.
 */
export async function listLowStock(db: Db, today: string): Promise<LowStock[]> {
  const { rows } = await db.query<LowStock>(
    `select product_id, name, total, "left", case when "left" = 0 then 'empty' else 'low' end as level
     from (select p.product_id, p.name, n.free + n.held + n.revoked as total, n.free as "left"
           from product p join code_counts($1) n on n.product_id = p.product_id
           where not p.shared_coupon and p.archived_at is null) stock
     where "left" < total / 10.0
     order by "left", name`,
    [today],
  );
  return rows;
}

/**
 * Returns for each product the number of its free codes (`left`) and of its codes that are neither void nor expired
 * (`total`), from the tally (0014). Products with shared codes are left out.
 */
export async function listStock(db: Db, today: string): Promise<Stock[]> {
  const { rows } = await db.query<Stock>(
    `select p.product_id, p.name, coalesce(n.free + n.held + n.revoked, 0) as total, coalesce(n.free, 0) as "left"
     from product p left join code_counts($1) n on n.product_id = p.product_id
     where not p.shared_coupon and p.archived_at is null`,
    [today],
  );
  return rows;
}

/**
 * Deletes the records of alerts for all products that are not in `lowStock`, so that their next shortage sends a new
 * alert.
 */
export async function clearStockNotices(db: Db, lowStock: readonly LowStock[]): Promise<void> {
  await db.query('delete from stock_notice where not (product_id = any($1::uuid[]))', [
    lowStock.map(({ product_id }) => product_id),
  ]);
}

/**
 * Records the low-stock alert for a product. Returns false if an alert with the same level, or with the level 'empty',
 * is already recorded.
 */
export async function claimStockNotice(db: Db, { product_id, level }: LowStock, at: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into stock_notice (product_id, level, sent_at) values ($1, $2, $3)
     on conflict (product_id) do update set level = excluded.level, sent_at = excluded.sent_at
       where stock_notice.level = 'low' and excluded.level = 'empty'`,
    [product_id, level, at],
  );
  return rowCount === 1;
}
