// The audit table: what was done and by whom, only ever added to.
import type { Db } from '../db/database.ts';

export type AuditLine = {
  actor: string;
  action: string;
  user_id?: string;
  product_id?: string;
  coupon_id?: string;
  detail?: Record<string, unknown>;
};

/** Who imports, and which import the audit lines of its rows name. */
export type Importer = { actor: string; import_id: string };

/** Adds a line; call it in the transaction of the change that it tells of. */
export async function createAuditLine(db: Db, line: AuditLine): Promise<void> {
  await db.query(
    `insert into audit (actor, action, user_id, product_id, coupon_id, detail)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      line.actor,
      line.action,
      line.user_id ?? null,
      line.product_id ?? null,
      line.coupon_id ?? null,
      JSON.stringify(line.detail ?? {}),
    ],
  );
}
