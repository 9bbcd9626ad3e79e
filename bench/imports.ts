// Measures how fast codes are imported over HTTP, and the redemptions per second during the import and without it.
import { randomUUID } from 'node:crypto';
import { getImport, importCoupons } from '@portal/contract';
import { ENGINES, type Place } from './engines.ts';
import { median, show, showOne, table } from './format.ts';
import { redeemAll } from './run-load.ts';
import { prepareScene } from './scene.ts';
import { makeProduct } from './seed.ts';

/**
 * Size of a run: `rows` codes are imported. Each of the `learners` redeems once before the import, up to `rounds` times
 * during it, and once after it.
 */
type Size = { rows: number; learners: number; rounds: number };

type Imports = {
  /** Redemptions per second while no import runs: one value from before the import and one from after it. */
  usual: number[];
  /** Redemptions per second during the import, one value per round. */
  during: number[];
  rowsPerSecond: number;
  /** Peak resident memory of the server minus its memory before the import, in MB. */
  memoryGrowth: number;
};

const SIZES: Record<string, Size> = {
  embedded: { rows: 300_000, learners: 1_000, rounds: 5 },
  PostgreSQL: { rows: 1_000_000, learners: 2_000, rounds: 5 },
};

/** Runs the benchmark. Returns its chapter of bench/results.md, as Markdown. */
export async function reportImports(): Promise<string> {
  const rows: string[][] = [];
  for (const [name, onEngine] of ENGINES) {
    const measured = await onEngine((place) => measureImport(place, SIZES[name] as Size));
    const { usual, during, rowsPerSecond, memoryGrowth } = measured;
    const ratio = showOne(median(during) / median(usual), 2);
    rows.push([name, show(usual), show(during), ratio, showOne(rowsPerSecond), showOne(memoryGrowth)]);
  }
  const sizes = Object.entries(SIZES).map(([name, size]) => `${name}: ${showOne(size.rows)}`);
  return `Codes are imported over HTTP (${sizes.join(', ')}) while learners redeem another product, 64 at a time. *Usual* is their
rate before and after the import. During the import, they should keep at least half of this rate.

${table(['engine', 'redeemed usually, a second', 'beside the import', 'ratio', 'rows imported meanwhile, a second', 'memory grew by, MB'], rows)}`;
}

async function measureImport(place: Place, { rows, learners: count, rounds }: Size): Promise<Imports> {
  let target = '';
  const products: string[] = [];
  const scene = await prepareScene(place, count, async (db) => {
    target = await makeProduct(db, 0);
    for (let round = 0; round < rounds + 2; round += 1) products.push(await makeProduct(db, count));
  });
  const portal = await scene.start();
  try {
    const redeem = () => redeemAll(portal.url, scene.learners, products.pop() ?? '');
    const before = await redeem();
    const restMemory = await portal.memory();

    const importId = randomUUID();
    const upload = { token: scene.adminToken, productId: target, importId };
    const startedMs = performance.now();
    let isDone = false;
    const sent = sendCodes(portal.url, upload, makeCodes(rows)).then(() => {
      isDone = true;
    });
    await waitUntilBegun(portal.url, importId, scene.adminToken);
    const during: number[] = [];
    while (!isDone && during.length < rounds) {
      const redeemed = await redeem();
      // Drops a round if the import ended during the round, because a part of such a round ran without an import.
      if (!isDone) during.push(redeemed);
    }
    await sent;
    const seconds = (performance.now() - startedMs) / 1000;
    const memoryGrowth = (await portal.peakMemory()) - restMemory;
    return { usual: [before, await redeem()], during, rowsPerSecond: rows / seconds, memoryGrowth };
  } finally {
    await portal.stop();
  }
}

/** Returns `count` different codes. Each code begins with `batch`, so codes of different batches always differ. */
export function makeCodes(count: number, batch = 'BULK'): string[] {
  return Array.from({ length: count }, (_, index) => `${batch}-${index.toString(36).padStart(6, '0')}`);
}

type Upload = { token: string; productId: string; importId: string };

/** Uploads `codes` as CSV and returns when the import has ended. Throws unless every code was new. */
export async function sendCodes(
  url: string,
  { token, productId, importId }: Upload,
  codes: readonly string[],
): Promise<void> {
  const answer = await fetch(url + importCoupons.path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ productId, csvData: `coupon_code\n${codes.join('\n')}\n`, import_id: importId }),
  });
  const { results } = (await answer.json()) as { results?: { success: number } };
  if (results?.success !== codes.length) {
    throw new Error(`${results?.success} of ${codes.length} codes were imported`);
  }
}

async function waitUntilBegun(url: string, importId: string, token: string): Promise<void> {
  const address = url + getImport.path.replace(':id', importId);
  for (;;) {
    const answer = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
    if (answer.ok && ((await answer.json()) as { rows_done: number }).rows_done > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
