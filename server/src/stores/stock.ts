// Stock: products that run out of codes, and what administrators were told of it.
import type { Db } from '../db/database.ts';

export type StockLevel = 'low' | 'empty';
export type Shortage = { product_id: string; name: string; level: StockLevel; left: number; total: number };

/** Products with less than a tenth of their codes left, or none; shared codes do not run out so. */
export async function listShortages(db: Db): Promise<Shortage[]> {
  const { rows } = await db.query<Shortage>(
    `select product_id, name, total, "left", case when "left" = 0 then 'empty' else 'low' end as level
     from (select p.product_id, p.name, sum(f.n) filter (where f.what = 'code')::int as total,
                  (sum(f.n) filter (where f.what = 'code')
                    - coalesce(sum(f.n) filter (where f.what in ('redeemed', 'issued')), 0))::int as "left"
           from product p join tally_now f on f.product_id = p.product_id
           where not p.shared_coupon and p.archived_at is null
           group by p.product_id) stock
     where "left" < total / 10.0
     order by "left", name`,
  );
  return rows;
}

/** Products that run out of codes and how many there are, from the tally (0014). */
export async function listStock(db: Db): Promise<Pick<Shortage, 'product_id' | 'name' | 'left' | 'total'>[]> {
  const { rows } = await db.query<Pick<Shortage, 'product_id' | 'name' | 'left' | 'total'>>(
    `select p.product_id, p.name, coalesce(sum(f.n) filter (where f.what = 'code'), 0)::int as total,
            (coalesce(sum(f.n) filter (where f.what = 'code'), 0)
              - coalesce(sum(f.n) filter (where f.what in ('redeemed', 'issued')), 0))::int as "left"
     from product p left join tally_now f on f.product_id = p.product_id
     where not p.shared_coupon and p.archived_at is null
     group by p.product_id`,
  );
  return rows;
}

/** Forgets notices of products that have codes again, so that the next shortage is told anew. */
export async function clearStockNotices(db: Db, shortages: readonly Shortage[]): Promise<void> {
  await db.query('delete from stock_notice where not (product_id = any($1::uuid[]))', [
    shortages.map(({ product_id }) => product_id),
  ]);
}

/** Takes it upon this process to tell of a shortage; false when it was told already, or when another process does. */
export async function claimStockNotice(db: Db, { product_id, level }: Shortage, at: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into stock_notice (product_id, level, sent_at) values ($1, $2, $3)
     on conflict (product_id) do update set level = excluded.level, sent_at = excluded.sent_at
       where stock_notice.level = 'low' and excluded.level = 'empty'`,
    [product_id, level, at],
  );
  return rowCount === 1;
}

export async function listAdminEmails(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ email: string }>(
    "select email from app_user where user_role = 'admin' order by id",
  );
  return rows.map(({ email }) => email);
}
