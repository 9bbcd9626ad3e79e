// Fills every table of a database, with unusual values too, and reads all rows for comparison.

import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { importCsv } from '../src/bulk/uploads.ts';
import { createDayOf } from '../src/day.ts';
import type { Database } from '../src/db/database.ts';
import { redeemCoupon } from '../src/features/redeem/redeem.ts';
import { addLearner, addProduct } from './factories.ts';
import { createUploadTools } from './test-jobs.ts';

// Characters with a special meaning in JSON, CSV or line formats.
const ODD_TEXT = '"\\ \u2028 \t{},#end\r\n😀 null \u0001';

export const REDEEM_TOOLS = {
  dayOf: createDayOf('UTC'),
  now: () => new Date(),
  supportEmail: 'help@example.org',
};

/**
 * Fills the database. Returns a learner, a product that this learner has redeemed, and the code that the learner got
 * (`code`).
 */
export async function fillDatabase(db: Database) {
  const product = await addProduct(db, { codes: ['ONE', 'TWO', '#end {}', "O'NE"] });
  // Forms refuse this text, but products of earlier versions may have it.
  await db.query('update product set instructions = $1', [ODD_TEXT]);
  const shared = await addProduct(db, { name: 'Shared', shared_coupon: true, codes: ['ALL'] });
  const caller = await addLearner(db, [product, shared]);
  const productId = product.product_id;
  const { coupon } = await redeemCoupon(db, { caller, productId }, REDEEM_TOOLS);
  await redeemCoupon(db, { caller, productId: shared.product_id }, REDEEM_TOOLS);
  await importCsv(
    db,
    {
      kind: 'users',
      csvData: 'name,email,phone_number\n"A, ""B""",a@example.org,\n,nobody,"{x}"\n',
      product_ids: [productId],
      actor: 'staff@example.org',
    },
    createUploadTools(db),
  );
  const [cohort_id, source_id] = [randomUUID(), randomUUID()];
  await db.execute(`
    insert into audit (actor, action, detail) values ('portal', 'test.odd', '{"n": 12345678901234567890.12345678901234567890}');
    insert into bulk_job (id, kind, created_by, rows_total, source, product_ids)
      values ('${randomUUID()}', 'coupons', 'staff@example.org', 1, E'coupon_code\\nNEW\\n', '{${productId}}');
    insert into bulk_job (id, kind, created_by, rows_total, source, source_id)
      values ('${randomUUID()}', 'products', 'staff@example.org', 1, '', '${source_id}');
    insert into import_source (source_id, piece, text, is_last)
      values ('${source_id}', 0, E'name\\n"#', false), ('${source_id}', 1, E'end"\\n', true);
    insert into auth_user (id, email, email_confirmed_at, user_metadata, last_sign_in_at, created_at, updated_at)
      values (gen_random_uuid(), 'z@example.org', now(), '{"a": [1, null]}', '2026-11-21 10:00:00.123456+05:30', 'infinity', now());
    insert into auth_session (id, user_id, refreshed_at, amr, created_at)
      select gen_random_uuid(), id, now(), '[]', now() from auth_user;
    insert into identity_person (provider, issuer, provider_id, person_id, since)
      select 'google', 'https://accounts.google.com', '"' || id, id, 'infinity' from app_user;
    insert into left_team values ('left@example.org', '-infinity');
    insert into auth_rate (key, points) values ('otp:192.0.2.1', 1);
    insert into stock_notice values ('${productId}', 'low', now());
    insert into stock_forecast values ('${productId}', now(), '2026-11-20', 3, 1, 12, 2, '2999-12-31', '-infinity');
    update app_user set phone_number = null, payment_id = E'\\\\x41';
    update coupon set voided_at = now(), voided_by = 'operator', void_reason = 'dead' where coupon_code = 'TWO';
    update coupon set revoked_at = now(), revoked_by = 'staff@example.org', revoke_reason = '"#end"'
      where coupon_code = 'ALL' and holder is not null;
    insert into product_logo (product_id, media_type, bytes, sha256, width, height, at)
      values ('${productId}', 'image/png', '\\x00ff0a5c22', '${'0'.repeat(64)}', 32, 32, now());
    update product set category = 'Writing, "odd"', value = '{€}', terms = E'One\\nTwo', perks = array['a,b', '"c"', E'\\\\d'], position = 3;
    update product set opens_on = '2000-01-01', closes_on = '2999-12-31', paused_at = now(), pause_note = ','
      where shared_coupon;
    insert into cohort (cohort_id, name, created_by) values ('${cohort_id}', 'A "cohort"', 'staff@example.org');
    insert into cohort_member (cohort_id, user_id, joined_by) select '${cohort_id}', id, '' from app_user;
    insert into access_grant (cohort_id, starts_on, ends_on, granted_by) values ('${cohort_id}', '2026-01-01', '2026-12-31', '');
    insert into access_grant (user_id, starts_on, granted_by, withdrawn_at, withdrawn_by, withdraw_reason)
      select id, '2026-01-01', 'staff@example.org', now(), 'staff@example.org', 'Left' from app_user;
  `);
  return { caller, productId, code: coupon.couponCode };
}

/** The tables of sessions, mailed links and unfinished sign-ins, which script/portal restore leaves empty. */
export const NO_SIGN_INS = {
  auth_session: [],
  auth_one_time_token: [],
  auth_earlier_token: [],
  auth_flow_state: [],
};

/** Returns all rows of each table as text. Omits the tables that a backup does not contain. */
export async function readEverything(db: Database): Promise<Record<string, unknown[]>> {
  return db.transaction(async (tx) => {
    await tx.execute("set local timezone = 'UTC'");
    const { rows: tables } = await tx.query<{ name: string }>(
      `select relname::text as name from pg_class
       where relnamespace = 'public'::regnamespace and relkind = 'r' and relpersistence = 'p'
         and relname <> 'schema_migration'`,
    );
    const content: Record<string, unknown[]> = {};
    for (const { name } of tables) {
      const { rows } = await tx.query<{ row: string }>(`select t::text as row from ${name} t order by 1`);
      content[name] = rows.map(({ row }) => row);
    }
    expect(Object.keys(content).length).toBeGreaterThan(15);
    return content;
  });
}
