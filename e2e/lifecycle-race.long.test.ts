// Two hundred races of staff against learners.
import { afterAll } from 'vitest';
import { migrate } from '../server/src/db/migrate.ts';
import { openPostgres } from '../server/src/db/open-postgres.ts';
import { testRaces } from '../server/test/lifecycle-races.ts';
import { type PostgresServer, startPostgres } from '../server/test/postgres.ts';

// There are six races.
const ROUNDS = 34;

let server: PostgresServer | undefined;
// Before `testRaces`, because hooks run in reverse order: the tests close their connections first.
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
