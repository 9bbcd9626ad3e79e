// Configures the browser tests, which use the real server, a real browser and a real mail server.
import { defineConfig } from 'vitest/config';

// TEST_SUITE=long and TEST_SUITE=cluster select the files `*.long.test.ts` and `*.cluster.test.ts`.
const suite = process.env.TEST_SUITE ?? '';
const TEST_TIMEOUT_MS = suite ? 600_000 : 90_000;

export default defineConfig({
  test: {
    name: 'e2e',
    dir: import.meta.dirname,
    include: [suite ? `**/*.${suite}.test.ts` : '**/*.test.ts'],
    exclude: suite ? [] : ['**/*.long.test.ts', '**/*.cluster.test.ts'],
    globalSetup: `${import.meta.dirname}/harness/template.ts`,
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: 120_000,
    // Time after which `expect.poll` fails. The limit is long, because no test checks how fast the portal is.
    expect: { poll: { timeout: 30_000 } },
    // Files of one worker run without isolation, so that they share a portal, a browser and a mail server
    // (harness/fixture.ts).
    isolate: false,
    // The tested pages wait for timers half of the time. So two cores can run three workers.
    maxWorkers: 3,
  },
});
