// Tests race conditions: two hundred times, staff change something at the moment when learners redeem, and at least one
// learner wins and one loses.
import { afterAll } from 'vitest';
import { migrate } from '../server/src/db/migrate.ts';
import { openPostgres } from '../server/src/db/open-postgres.ts';
import { testRaces } from '../server/test/lifecycle-races.ts';
import { type PostgresServer, startPostgres } from '../server/test/postgres.ts';

// `testRaces` repeats each of its twelve races until this number of rounds had a winner and a loser: 204 in all.
const ROUNDS = 17;

let server: PostgresServer | undefined;
// Registered before the hooks of `testRaces`, because Vitest runs `afterAll` hooks in reverse order. So the tests close
// their connections before the server stops.
afterAll(() => server?.stop());

testRaces({
  rounds: ROUNDS,
  createDatabase: async () => {
    server = await startPostgres();
    const db = await openPostgres({ url: server.url });
    await migrate(db);
    await db.close();
    return server.url;
  },
});
