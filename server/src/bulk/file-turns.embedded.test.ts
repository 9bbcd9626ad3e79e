// Tests that the embedded engine works on one uploaded file at a time.
import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { addProduct } from '../../test/factories.ts';
import { openTestDatabase } from '../../test/open-test-database.ts';
import { createUploadTools, TEST_IMPORT_TOOLS } from '../../test/test-jobs.ts';
import { findImportState } from './bulk-jobs.sql.ts';
import { cancelImport, importCsv } from './uploads.ts';

const actor = 'staff@example.org';
const TIMEOUT = { timeout: 30_000, interval: 10 };

test('R-IMP-26: of four checks at once one runs; the others wait and say so, and a waiting one can be cancelled', async () => {
  const db = await openTestDatabase();
  const { product_id } = await addProduct(db);
  const ids = [1, 2, 3, 4].map(() => randomUUID());
  const readStates = () => Promise.all(ids.map((id) => findImportState(db, id, 0)));
  const begun = new Set<string>();
  let [isFirst, areDone] = [true, false];
  let cancelled = '';
  const checks = new Map<string, ReturnType<typeof importCsv>>();
  // Called after the only chunk of each check.
  const pause = async () => {
    if (areDone) return;
    const states = await readStates();
    for (const state of states) if (state?.rows_done && state.state === 'running') begun.add(state.id);
    expect(states.filter((state) => state?.state === 'running' && state.rows_done > 0)).toHaveLength(1);
    if (!isFirst) return;
    isFirst = false;
    const waiting = await vi.waitUntil(async () => {
      const waits = (await readStates()).filter((state) => state?.waits);
      return waits.length === 3 ? waits : null;
    }, TIMEOUT);
    expect(waiting).toMatchObject(waiting.map(() => ({ state: 'running', rows_done: 0, checking: true })));
    cancelled = waiting[0]?.id ?? '';
    await cancelImport(db, cancelled, { now: () => new Date(), actor });
    expect(await checks.get(cancelled)).toMatchObject({ state: 'cancelled', waits: false });
  };
  const tools = createUploadTools(db, { ...TEST_IMPORT_TOOLS, pause });
  const upload = { kind: 'coupons' as const, csvData: 'code\nA\n', product_ids: [product_id], actor };
  for (const id of ids) checks.set(id, importCsv(db, { ...upload, import_id: id, check: true }, tools));
  const states = await Promise.all(checks.values());
  const others = states.filter(({ id }) => id !== cancelled);
  expect(others).toMatchObject(Array(3).fill({ state: 'checked', waits: false }));
  expect([...begun].sort()).toEqual(others.map(({ id }) => id).sort());
  areDone = true;
  // A file that is uploaded after all others have ended does not wait.
  expect(await importCsv(db, { ...upload, csvData: 'code\nB\n' }, tools)).toMatchObject({ state: 'done' });
  await db.close();
});
