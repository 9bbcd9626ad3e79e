// Compares 5,000 verdicts about random people and products with what redeeming does, on both database engines.
import { inject, onTestFinished, test } from 'vitest';
import type { Database } from '../server/src/db/database.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { openPostgres } from '../server/src/db/open-postgres.ts';
import { checkAgreement, expectVerdicts } from '../server/test/agreement-check.ts';
import { openInMemory } from '../server/test/open-in-memory.ts';
import { startPostgres } from '../server/test/postgres.ts';

async function check(db: Database): Promise<void> {
  const reached = new Map<string, number>();
  await checkAgreement(db, { seed: 4100, pairs: 5000, reached });
  expectVerdicts(reached, 20);
}

test('R-COHORT-41: 5,000 verdicts agree with redeeming on PostgreSQL', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const db = await openPostgres({ url: server.url });
  onTestFinished(() => db.close());
  await migrate(db);
  await check(db);
});

test('R-COHORT-41: 5,000 verdicts agree with redeeming on the embedded engine', async () => {
  const db = await openInMemory(inject('templateFolder'));
  onTestFinished(() => db.close());
  await check(db);
});
