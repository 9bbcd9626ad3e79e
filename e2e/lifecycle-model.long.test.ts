// Runs long random sequences of actions on products, access and codes, on both database engines. Tests that the portal's
// results are those of a reference model.
import { inject, onTestFinished, test } from 'vitest';
import type { Database } from '../server/src/db/database.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { openPostgres } from '../server/src/db/open-postgres.ts';
import { checkSequence, expectReached } from '../server/test/lifecycle-check.ts';
import { openInMemory } from '../server/test/open-in-memory.ts';
import { startPostgres } from '../server/test/postgres.ts';

const STEPS = 500;
const SEQUENCES = 20;

async function runSequences(db: Database): Promise<void> {
  const reached = new Map<string, number>();
  for (let seed = 200; seed < 200 + SEQUENCES; seed += 1)
    await checkSequence(db, { seed, steps: STEPS, reached });
  expectReached(reached, { checks: 50, acts: 5 });
}

test('R-LIFE-01 to R-LIFE-23: 10,000 random acts on PostgreSQL have the outcomes of the reference model', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const db = await openPostgres({ url: server.url });
  onTestFinished(() => db.close());
  await migrate(db);
  await runSequences(db);
});

test('R-LIFE-01 to R-LIFE-23: 10,000 random acts on the embedded engine have the outcomes of the reference model', async () => {
  const db = await openInMemory(inject('templateFolder'));
  onTestFinished(() => db.close());
  await runSequences(db);
});
