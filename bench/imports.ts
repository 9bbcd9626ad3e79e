// An import of codes over HTTP, and what learners notice of it: redemptions a second beside it and without it.
import { randomBytes, randomUUID } from 'node:crypto';
import { getImport, importCoupons } from '@portal/contract';
import type { Database } from '../server/src/db/database.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { findFreePort } from '../server/test/postgres.ts';
import { makeLearners, makeProduct } from './people.ts';
import { startPortal } from './portal.ts';
import { claimOverHttp } from './redemptions.ts';

export type Imports = {
  /** Redemptions a second without the import: before it and after it. */
  usual: number[];
  /** Redemptions a second while it ran. */
  beside: number[];
  /** Rows a second, while learners redeemed and when they did not. */
  rowsPerSecond: number;
  /** What the server's memory grew by at its most, in MB. */
  memoryGrowth: number;
};

/** Measures one engine: `rows` codes are imported, and `learners` redeem before, `rounds` times meanwhile, and after. */
export async function measureImport(
  open: () => Promise<Database>,
  engineEnv: Record<string, string>,
  { rows, learners: count, rounds }: { rows: number; learners: number; rounds: number },
): Promise<Imports> {
  const secretKey = randomBytes(32);
  const port = await findFreePort();
  const publicUrl = `http://localhost:${port}`;
  const db = await open();
  await migrate(db);
  const learners = await makeLearners(db, { count, secretKey, publicUrl });
  const [admin] = learners;
  await db.query("update app_user set user_role = 'admin' where id = $1", [admin?.user_id]);
  const target = await makeProduct(db, 0);
  const products: string[] = [];
  for (let round = 0; round < rounds + 2; round += 1) products.push(await makeProduct(db, count));
  await db.close();

  const portal = await startPortal(port, { ...engineEnv, SECRET_KEY: secretKey.toString('base64') });
  try {
    const redeem = () => claimOverHttp(portal.url, learners, products.pop() ?? '');
    const before = await redeem();
    const restMemory = await portal.memory();

    const importId = randomUUID();
    const startedMs = performance.now();
    let isDone = false;
    const upload = sendCodes(portal.url, {
      token: admin?.token ?? '',
      productId: target,
      importId,
      rows,
    }).then(() => {
      isDone = true;
    });
    await waitUntilBegun(portal.url, importId, admin?.token ?? '');
    const beside: number[] = [];
    while (!isDone && beside.length < rounds) {
      const redeemed = await redeem();
      // A round that outlasted the import says too little of it.
      if (!isDone) beside.push(redeemed);
    }
    await upload;
    const seconds = (performance.now() - startedMs) / 1000;
    const memoryGrowth = (await portal.peakMemory()) - restMemory;
    return { usual: [before, await redeem()], beside, rowsPerSecond: rows / seconds, memoryGrowth };
  } finally {
    await portal.stop();
  }
}

type Upload = { token: string; productId: string; importId: string; rows: number };

async function sendCodes(url: string, { token, productId, importId, rows }: Upload): Promise<void> {
  const codes = Array.from({ length: rows }, (_, index) => `BULK-${index.toString(36).padStart(6, '0')}`);
  const answer = await fetch(url + importCoupons.path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ productId, csvData: `coupon_code\n${codes.join('\n')}\n`, import_id: importId }),
  });
  const { results } = (await answer.json()) as { results?: { success: number } };
  if (results?.success !== rows) throw new Error(`${results?.success} of ${rows} codes were imported`);
}

async function waitUntilBegun(url: string, importId: string, token: string): Promise<void> {
  const address = url + getImport.path.replace(':id', importId);
  for (;;) {
    const answer = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
    if (answer.ok && ((await answer.json()) as { rows_done: number }).rows_done > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
