// Tests that the limit of reveals is exact if several processes of the portal serve one person at the same moment.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addLearner, addProduct } from '../../test/factories.ts';
import { REDEEM_TOOLS } from '../../test/fill-database.ts';
import { createTestDatabase, openTestPostgres } from '../../test/open-test-database.ts';
import { SPAWN_ENV } from '../../test/spawn-env.ts';
import type { Database } from '../db/database.ts';
import { setRole } from './change-team.ts';
import { redeemCoupon } from './redeem-coupon.ts';

const PROGRAM = fileURLToPath(import.meta.resolve('../../test/reveal-in-process.ts'));
const CALLS = 25;

let url: string;
let db: Database;
beforeAll(async () => {
  url = await createTestDatabase();
  db = await openTestPostgres(url);
});
afterAll(() => db.close());

function start(email: string, id: string) {
  const child = spawn(process.execPath, [PROGRAM, url, email, id, String(CALLS)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: SPAWN_ENV,
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    ready: async () => expect((await lines.next()).value).toBe('ready'),
    reveal: async () => {
      child.stdin.write('go\n');
      return Number((await lines.next()).value);
    },
  };
}

test('R-IMP-42: two processes together show one person exactly 30 codes, and enqueue one mail to the owner', async () => {
  const product = await addProduct(db, { codes: 1 });
  const caller = await addLearner(db, [product]);
  await redeemCoupon(db, { caller, productId: product.product_id }, REDEEM_TOOLS);
  const { rows } = await db.query<{ id: string }>('select id from coupon');
  await setRole(
    db,
    { actor: 'operator', email: 'owner@example.org', team_role: 'owner' },
    { adminEmails: [] },
  );
  for (let round = 0; round < 4; round += 1) {
    const email = `support-${round}@example.org`;
    await setRole(db, { actor: 'operator', email, team_role: 'support' }, { adminEmails: [] });
    const processes = [start(email, rows[0]?.id ?? ''), start(email, rows[0]?.id ?? '')];
    await Promise.all(processes.map(({ ready }) => ready()));
    const shown = await Promise.all(processes.map(({ reveal }) => reveal()));
    expect(shown.reduce((sum, count) => sum + count, 0)).toBe(30);
    const { rows: lines } = await db.query(
      `select action, count(*)::int as count from audit where actor = $1 group by action order by action`,
      [email],
    );
    expect(lines).toEqual([
      { action: 'coupon.refused_reveal', count: 1 },
      { action: 'coupon.reveal', count: 30 },
    ]);
    const { rows: mails } = await db.query<{ about: string }>(
      "select data ->> 'about' as about from job where kind = 'notice-mail' and data ->> 'actor' = $1",
      [email],
    );
    expect(mails).toEqual([{ about: 'owner@example.org' }]);
  }
});
