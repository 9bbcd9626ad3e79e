// Runs staff actions and redemptions concurrently. e2e/lifecycle-race.long.test.ts runs more rounds.
import { describe } from 'vitest';
import { testRaces } from '../../../test/lifecycle-races.ts';
import { createTestDatabase } from '../../../test/open-test-database.ts';

describe('R-LIFE-50, R-LIFE-51, R-LIFE-52, R-LIFE-53: staff against learners', () => {
  testRaces({ rounds: 2, createDatabase: createTestDatabase });
});
