// Races of staff against learners; e2e/lifecycle-race.long.test.ts makes more rounds.
import { testRaces } from '../../test/lifecycle-races.ts';
import { createTestDatabase } from '../../test/open-test-database.ts';

testRaces({ rounds: 3, createDatabase: createTestDatabase });
