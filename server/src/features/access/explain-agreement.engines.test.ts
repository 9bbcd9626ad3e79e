// Checks for random people and products that the explanation of access agrees with the result of redeeming.
// e2e/explain-agreement.long.test.ts compares more.
import { afterAll, beforeAll, test } from 'vitest';
import { checkAgreement, expectVerdicts } from '../../../test/agreement-check.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import type { Database } from '../../db/database.ts';

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

test('R-COHORT-41: for 1,000 random pairs of a person and a product, the verdict agrees with redeeming', async () => {
  const reached = new Map<string, number>();
  await checkAgreement(db, { seed: 41, pairs: 1000, reached });
  expectVerdicts(reached, 3);
});
