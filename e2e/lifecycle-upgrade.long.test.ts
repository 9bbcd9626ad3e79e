// Tests the upgrade from schema version 10 with many users and codes. Meanwhile learners redeem with the SQL statements of
// the previous portal version. Afterwards each learner's list of products is the same as before.
// `upgrade-scans.postgres.test.ts` tests that no statement of the upgrade makes learners wait for a scan.
// `bench/upgrade.ts` compares the duration with its limit, because a test must not depend on the speed of the machine.
import { expect, test } from 'vitest';
import { type Sampled, upgradeFilledDatabase } from '../server/test/upgrade.ts';

// The least number of entries of each kind that the sample must have.
const MIN_SAMPLED = 50;

type Entry = Sampled['before'][number];

/** Returns the entry that this version sends for an entry of version 10, which has no days. */
const upgraded = (old: Entry): Entry => ({
  ...old,
  state: old.assigned_at !== null ? 'issued' : old.sold_out ? 'sold_out' : 'ready',
  from: null,
  use_by: null,
  closes_on: null,
});

/** Fails if the sample lacks a kind of people or of entries, or a part of the people. */
function expectAllKinds(sampled: readonly Sampled[]): void {
  const people = sampled.map(({ person }) => person);
  expect(new Set(people).size).toBe(5_000);
  for (let part = 0; part < 10; part += 1)
    expect(people.filter((person) => Math.floor((person - 1) / 30_000) === part)).toHaveLength(500);
  const holds = ({ assigned_at }: Entry) => assigned_at !== null;
  const kindsOfPeople: Record<string, (list: Entry[]) => boolean> = {
    'all products': (list) => list.length === 13,
    'some products': (list) => list.length < 13,
    'without a code': (list) => !list.some(holds),
    'with a code': (list) => list.some(holds),
  };
  for (const [kind, has] of Object.entries(kindsOfPeople))
    expect(sampled.filter(({ before }) => has(before)).length, kind).toBeGreaterThan(MIN_SAMPLED);
  const kindsOfEntries: Record<string, (entry: Entry) => unknown> = {
    'own code': (entry) => holds(entry) && !entry.shared_coupon,
    'shared code': (entry) => holds(entry) && entry.shared_coupon,
    'sold out': (entry) => !holds(entry) && entry.sold_out && !entry.shared_coupon,
    'shared, sold out': (entry) => !holds(entry) && entry.sold_out && entry.shared_coupon,
    ready: (entry) => !holds(entry) && !entry.sold_out && !entry.shared_coupon,
    'shared, ready': (entry) => !holds(entry) && !entry.sold_out && entry.shared_coupon,
  };
  const entries = sampled.flatMap(({ before }) => before);
  for (const [kind, is] of Object.entries(kindsOfEntries))
    expect(entries.filter(is).length, kind).toBeGreaterThan(MIN_SAMPLED);
}

test('300,000 people and 1,000,000 codes: learners redeem until the upgrade ends, and their products stay', async () => {
  const { calls, failed, sampled } = await upgradeFilledDatabase();
  // These two migrations build the indexes and copy the access, so they take long. Learners are served during both.
  expect(calls).toMatchObject({
    '0012-lifecycle-indexes.sql': expect.any(Number),
    '0013-access-grants.sql': expect.any(Number),
  });
  // The previous version cannot continue after the upgrade, because the tables with its access are gone.
  expect(failed.message).toMatch(/all_products|product_access/);
  expectAllKinds(sampled);
  for (const { person, before, after } of sampled)
    expect(after, `person ${person}`).toEqual(before.map(upgraded));
});
