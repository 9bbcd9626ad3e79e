// Compares the database function usable_shared_code with the rule of the specification, for random rows.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addLearner, addProduct } from '../../../test/factories.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import { createRandom } from '../../../test/random.ts';
import type { Database } from '../../db/database.ts';

const ROUNDS = 60;
const TODAY = '2026-11-20';
const DAYS = ['2026-11-19', TODAY, '2026-11-21', 'infinity'];

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

test('R-LIFE-08, N-51, N-52: the newest row whose last day lies ahead and whose text is not void', async () => {
  const random = createRandom(20_261_123);
  const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T;
  const found: (string | null)[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { product_id } = await addProduct(db, { shared_coupon: true, codes: [] });
    const { user_id } = await addLearner(db, []);
    const rows = Array.from({ length: random(7) }, () => ({
      text: pick(['A', 'B', 'C']),
      use_by: pick(DAYS),
      state: pick(['free', 'held', 'held', 'dead', 'mistake', 'expired']),
    }));
    await db.query(
      `insert into coupon (product_id, batch_id, shared, coupon_code, use_by, holder, assigned_at, assigned_by,
                           voided_at, voided_by, void_reason)
       select $1, (select max(id) from coupon_batch), true, r.text, r.use_by::date,
              case state when 'held' then $2::bigint end, case state when 'held' then now() end,
              case state when 'held' then 'learner' end,
              case when state not in ('free', 'held') then now() end,
              case when state not in ('free', 'held') then 'staff' end,
              case when state not in ('free', 'held') then state end
       from jsonb_to_recordset($3::jsonb) as r (text text, use_by text, state text)`,
      [product_id, user_id, JSON.stringify(rows)],
    );
    const dead = rows.filter(({ state }) => state === 'dead' || state === 'mistake').map(({ text }) => text);
    const newest = rows.findLast(({ text, use_by }) => use_by > TODAY && !dead.includes(text));
    const { rows: usable } = await db.query(
      'select coupon_code as text, use_by from usable_shared_code($1, $2)',
      [product_id, TODAY],
    );
    expect(usable, JSON.stringify(rows)).toEqual(
      newest ? [{ text: newest.text, use_by: newest.use_by }] : [],
    );
    found.push(newest?.text ?? null);
  }
  expect(new Set(found)).toEqual(new Set([null, 'A', 'B', 'C']));
});
