// Runs random actions of staff and learners, and compares their outcomes with a reference model.
// e2e/lifecycle-model.long.test.ts runs longer sequences.
import { afterAll, beforeAll, test } from 'vitest';
import { checkSequence, expectReached } from '../../../test/lifecycle-check.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import type { Database } from '../../db/database.ts';

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

test('R-LIFE-01 to R-LIFE-23: random acts have the outcomes of the reference model', async () => {
  const reached = new Map<string, number>();
  await checkSequence(db, { seed: 112, steps: 500, reached });
  expectReached(reached, { checks: 1, acts: 0 });
});
