// Compares an import of a million codes over HTTP, with duplicate checks, to PostgreSQL's COPY into the same table.
import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../server/src/db/database.ts';
import { onPostgres } from './engines.ts';
import { show, showOne, showRatios, table } from './format.ts';
import { makeCodes, sendCodes } from './imports.ts';
import { prepareScene } from './scene.ts';
import { makeProduct } from './seed.ts';

const ROUNDS = 5;
const ROWS = 1_000_000;
const COLUMNS = 'product_id, batch_id, shared, coupon_code';

/** Runs the benchmark. Returns its chapter of bench/results.md, as Markdown. */
export async function reportCopy(): Promise<string> {
  const row = await onPostgres(async (place) => {
    const products: string[] = [];
    const scene = await prepareScene(place, 1, async (db) => {
      for (let round = 0; round < ROUNDS * 2; round += 1) products.push(await makeProduct(db, 0));
    });
    const db = await place.open();
    const portal = await scene.start();
    const restMemory = await portal.memory();
    const copied: number[] = [];
    const imported: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const codes = makeCodes(ROWS, `ROUND-${round}`);
      copied.push(await copyCodes(db, products.pop() ?? '', codes));
      const upload = { token: scene.adminToken, productId: products.pop() ?? '', importId: randomUUID() };
      const startedMs = performance.now();
      await sendCodes(portal.url, upload, codes);
      imported.push(ROWS / ((performance.now() - startedMs) / 1000));
    }
    const growth = (await portal.peakMemory()) - restMemory;
    await portal.stop();
    await db.close();
    return [show(imported), show(copied), showRatios(imported, copied), showOne(growth)];
  });
  return `Each round imports ${showOne(ROWS)} codes for a new product into one PostgreSQL database, which keeps the codes of earlier rounds. *Over
HTTP*, the portal receives a CSV file, checks each row and inserts the codes that the product does not have yet; there are no other
calls. *COPY* reads the same codes from a file on the server into the same table, with its indexes and triggers; a single duplicate
would end it. *Memory* is the peak memory of the portal minus its memory at rest.

${table(['over HTTP, rows a second', 'COPY, rows a second', 'ratio', 'memory grew by, MB'], [row])}`;
}

async function copyCodes(db: Database, product_id: string, codes: readonly string[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-copy-'));
  try {
    const { rows } = await db.query<{ id: string }>('select id from coupon_batch where product_id = $1', [
      product_id,
    ]);
    const file = join(folder, 'codes');
    // The PostgreSQL server runs as another operating-system user. This user must be able to open the folder and read
    // the CSV file for COPY.
    await chmod(folder, 0o755);
    const lines = codes.map((code) => `${product_id}\t${rows[0]?.id}\tf\t${code}\n`);
    await writeFile(file, lines.join(''), { mode: 0o644 });
    const startedMs = performance.now();
    await db.execute(`copy coupon (${COLUMNS}) from '${file}'`);
    return codes.length / ((performance.now() - startedMs) / 1000);
  } finally {
    await rm(folder, { recursive: true });
  }
}
