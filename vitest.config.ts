// Configures the unit tests: of the server, the contract, the scripts and the pure functions of the pages.
// `x.test.ts` runs once, on PostgreSQL if it needs a database. `x.engines.test.ts` runs on both database engines.
// `x.postgres.test.ts` and `x.embedded.test.ts` run on the engine in their name.
import { defineConfig } from 'vitest/config';

const TIMEOUT_MS = 60_000;
const EITHER_ENGINE = 'server/src/**/*.engines.test.ts';
const EMBEDDED = 'server/src/**/*.embedded.test.ts';
const shared = {
  // Each process runs many files, so that it compiles the code and the WebAssembly of the embedded engine only once.
  isolate: false,
  exclude: ['**/*.long.test.ts'],
  testTimeout: TIMEOUT_MS,
  hookTimeout: TIMEOUT_MS,
  // Long, because the time-out measures nothing. It only ends a poll whose condition never becomes true.
  expect: { poll: { timeout: TIMEOUT_MS / 2 } },
};

export default defineConfig({
  test: {
    // On two cores Vitest uses one of them by default. A third process works while others wait for their database.
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
