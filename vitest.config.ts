// Unit tests: those of the server, of the contract, and of the browser code's pure functions.
// `x.test.ts` runs once, on PostgreSQL where it needs a database; `x.engines.test.ts` runs on both database engines,
// `x.postgres.test.ts` and `x.embedded.test.ts` on that one.
import { defineConfig } from 'vitest/config';

const LONG_ENOUGH_MS = 60_000;
const EITHER_ENGINE = 'server/src/**/*.engines.test.ts';
const EMBEDDED = 'server/src/**/*.embedded.test.ts';
const shared = {
  // One process runs many files: it compiles the program, and the embedded engine's WebAssembly, once.
  isolate: false,
  exclude: ['**/*.long.test.ts'],
  testTimeout: LONG_ENOUGH_MS,
  hookTimeout: LONG_ENOUGH_MS,
  // No measure of anything: it only ends a wait in vain.
  expect: { poll: { timeout: LONG_ENOUGH_MS / 2 } },
};

export default defineConfig({
  test: {
    // On two cores Vitest would leave one of them idle; a third file has work while others wait for their database.
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
