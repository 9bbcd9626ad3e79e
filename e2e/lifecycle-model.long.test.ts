// Runs long random sequences of actions on products, access and codes. Tests that the portal's results are those of a
// reference model.
import { afterAll, beforeAll, test } from 'vitest';
import { migrate } from '../server/src/db/migrate.ts';
import { openPostgres } from '../server/src/db/open-postgres.ts';
import { checkSequence } from '../server/test/lifecycle-check.ts';
import { type PostgresServer, startPostgres } from '../server/test/postgres.ts';

const STEPS = 500;
const SEQUENCES = 20;

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

test('R-LIFE-01 to R-LIFE-23: 10,000 random acts have the outcomes of the reference model', async () => {
  const db = await openPostgres({ url: server.url });
  await migrate(db);
  for (let seed = 100; seed < 100 + SEQUENCES; seed += 1) await checkSequence(db, { seed, steps: STEPS });
  await db.close();
});
