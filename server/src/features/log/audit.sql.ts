// Adds rows to the audit table, which records who changed what. The table is append-only.
import type { Db } from '../../db/database.ts';
import { ORIGIN_COLUMNS, originOf } from './origin.sql.ts';

export type AuditLine = {
  actor: string;
  action: string;
  user_id?: string;
  product_id?: string;
  coupon_id?: string;
  cohort_id?: string;
  batch_id?: string;
  detail?: Record<string, unknown>;
};

/**
 * `actor` is the address of the administrator who started the import `import_id`. The audit lines of the imported rows
 * contain `actor` and `import_id`.
 */
export type Importer = { actor: string; import_id: string };

/**
 * Adds an audit line. Call this function in the transaction of the change that the line describes. The line also says by
 * what way the actor acted, and for staff from which IP address, with their id and name (R-TRAIL-02).
 */
export async function createAuditLine(db: Db, line: AuditLine): Promise<void> {
  await db.query(
    `insert into audit (actor, ${ORIGIN_COLUMNS}, action, user_id, product_id, coupon_id, cohort_id, batch_id, detail)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      line.actor,
      ...originOf(line.actor),
      line.action,
      line.user_id ?? null,
      line.product_id ?? null,
      line.coupon_id ?? null,
      line.cohort_id ?? null,
      line.batch_id ?? null,
      JSON.stringify(line.detail ?? {}),
    ],
  );
}
