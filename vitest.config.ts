// Configures the unit tests of the server, the contract, the scripts and the pure functions of the pages.
// If a test needs a database, the name of its file selects the engine. `x.test.ts` and `x.postgres.test.ts` run on
// PostgreSQL, `x.embedded.test.ts` on the embedded engine, and `x.engines.test.ts` on both.
import { defineConfig } from 'vitest/config';

const TIMEOUT_MS = 60_000;
const EITHER_ENGINE = 'server/src/**/*.engines.test.ts';
const EMBEDDED = 'server/src/**/*.embedded.test.ts';
const shared = {
  // The test files of a process share their modules. So a process compiles the code and the WebAssembly of the embedded
  // engine only once, not for each file.
  isolate: false,
  exclude: ['**/*.long.test.ts'],
  testTimeout: TIMEOUT_MS,
  // A set-up may have to wait until another process has made the template of a database, so it has no time limit.
  hookTimeout: 0,
  // Time-out of `expect.poll`. It may be long, because it only matters if the condition of a poll never becomes true.
  expect: { poll: { timeout: TIMEOUT_MS / 2 } },
};

export default defineConfig({
  test: {
    // On two cores Vitest would start only one process by default. Three processes are faster: one process can work
    // while the other processes wait for the database.
    maxWorkers: 3,
    globalSetup: ['server/test/postgres-setup.ts', 'server/test/embedded-setup.ts'],
    projects: [
      {
        test: {
          ...shared,
          name: 'embedded',
          include: [EITHER_ENGINE, EMBEDDED],
          provide: { engine: 'embedded' },
        },
      },
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['{server,contract,web}/src/**/*.test.{ts,tsx}', 'script/*.test.ts'],
          exclude: [...shared.exclude, EMBEDDED],
          provide: { engine: 'postgres' },
        },
      },
    ],
  },
});
