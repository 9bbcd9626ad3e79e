// Tests that the limit of shown codes is exact if several processes of the portal serve one person concurrently.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addLearner, addProduct } from '../../../test/factories.ts';
import { REDEEM_TOOLS } from '../../../test/fill-database.ts';
import { createTestDatabase, openTestPostgres } from '../../../test/open-test-database.ts';
import { SPAWN_ENV } from '../../../test/spawn-env.ts';
import type { Database } from '../../db/database.ts';
import { redeemCoupon } from '../redeem/redeem.ts';
import { setRole } from '../team/team.ts';

const PROGRAM = fileURLToPath(import.meta.resolve('../../../test/reveal-in-process.ts'));
const CALLS = 25;

let url: string;
let db: Database;
beforeAll(async () => {
  url = await createTestDatabase();
  db = await openTestPostgres(url);
});
afterAll(() => db.close());

/** Starts a process that makes CALLS calls as `email`. `about` contains more arguments of the program. */
function start(email: string, act: 'show' | 'issue', about: readonly string[]) {
  const child = spawn(process.execPath, [PROGRAM, url, email, act, String(CALLS), ...about], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: SPAWN_ENV,
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    ready: async () => expect((await lines.next()).value).toBe('ready'),
    read: async () => {
      child.stdin.write('go\n');
      return Number((await lines.next()).value);
    },
  };
}

const setStaff = (email: string, team_role: 'owner' | 'support') =>
  setRole(db, { actor: 'operator', email, team_role }, { adminEmails: [] });

async function countActs(email: string): Promise<Record<string, number>> {
  const { rows } = await db.query<{ action: string; count: number }>(
    'select action, count(*)::int as count from audit where actor = $1 group by action',
    [email],
  );
  return Object.fromEntries(rows.map(({ action, count }) => [action, count]));
}

test.each([
  ['R-IMP-42: two processes together show one person exactly 30 codes', ['show', 'show'], 4],
  ['R-IMP-45: two processes together issue exactly 30 codes for one of support', ['issue', 'issue'], 2],
  ['R-IMP-45: codes that one process shows and another issues are exactly 30', ['show', 'issue'], 2],
] as const)('%s, and enqueue one mail to the owner', async (_title, acts, rounds) => {
  await setStaff('owner@example.org', 'owner');
  for (let round = 0; round < rounds; round += 1) {
    const product = await addProduct(db, { codes: 60 });
    const { product_id } = product;
    const learner = await addLearner(db, [product]);
    await redeemCoupon(db, { caller: learner, productId: product_id }, REDEEM_TOOLS);
    const listHeld = async () =>
      (
        await db.query<{ id: string }>('select id from coupon where product_id = $1 and holder is not null', [
          product_id,
        ])
      ).rows;
    const [held] = await listHeld();
    const email = `support-${acts.join('-')}-${round}@example.org`;
    await setStaff(email, 'support');
    const processes = acts.map((act) => start(email, act, [held?.id ?? '', learner.email, product_id]));
    await Promise.all(processes.map(({ ready }) => ready()));
    const read = await Promise.all(processes.map((each) => each.read()));
    expect(read.reduce((sum, count) => sum + count, 0)).toBe(30);
    const counts = await countActs(email);
    const { 'coupon.reveal': shown = 0, 'coupon.regenerate': issued = 0 } = counts;
    expect([shown + issued, counts['coupon.refused_reveal']]).toEqual([30, 1]);
    expect(await listHeld()).toHaveLength(1 + issued);
    const { rows: mails } = await db.query<{ about: string }>(
      "select data ->> 'about' as about from job where kind = 'notice-mail' and data ->> 'actor' = $1",
      [email],
    );
    expect(mails).toEqual([{ about: 'owner@example.org' }]);
  }
});
