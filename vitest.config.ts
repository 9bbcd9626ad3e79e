// Tests: the server's on both database engines, and the browser code's pure functions.
import { defineConfig } from 'vitest/config';

const LONG_ENOUGH_MS = 60_000;
const server = {
  include: ['server/src/**/*.test.ts'],
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
    projects: [
      {
        test: {
          ...server,
          name: 'embedded',
          exclude: [...server.exclude, '**/*.postgres.test.ts'],
          provide: { engine: 'embedded', postgresUrl: '' },
          globalSetup: 'server/test/embedded-setup.ts',
        },
      },
      {
        test: {
          ...server,
          name: 'postgres',
          exclude: [...server.exclude, '**/*.embedded.test.ts'],
          provide: { engine: 'postgres', embeddedTemplate: '' },
          globalSetup: 'server/test/postgres-setup.ts',
        },
      },
      {
        test: {
          name: 'web',
          include: ['{web,contract}/src/**/*.test.{ts,tsx}', 'script/*.test.ts'],
          // Pure functions, which have nothing to share: a process for each file would be most of what they take.
          isolate: false,
        },
      },
    ],
  },
});
