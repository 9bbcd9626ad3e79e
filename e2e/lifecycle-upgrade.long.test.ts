// Tests the upgrade from schema version 10 with many users and codes. Meanwhile learners redeem with the SQL statements of
// the previous portal version. Afterwards each learner's list of products is the same as before.
import { expect, test } from 'vitest';
import { upgradeFilledDatabase } from '../server/test/upgrade.ts';

test('300,000 people and 1,000,000 codes: learners redeem until the upgrade ends, and their products stay', async () => {
  const { calls, failed, sampled } = await upgradeFilledDatabase();
  expect(calls).toBeGreaterThan(0);
  // The previous version cannot continue after the upgrade, because the tables with its access are gone.
  expect(failed.message).toMatch(/all_products|product_access/);
  expect(new Set(sampled.map(({ before }) => before.length)).size).toBeGreaterThan(1);
  for (const { before, after } of sampled) expect(after).toEqual(before);
});
