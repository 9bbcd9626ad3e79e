// Browser tests: the real server, a real browser, a real mail receiver.
import { defineConfig } from 'vitest/config';

const isLong = process.env.TEST_SUITE === 'long';
const TEST_TIMEOUT_MS = isLong ? 600_000 : 90_000;

export default defineConfig({
  test: {
    name: 'e2e',
    dir: import.meta.dirname,
    include: [isLong ? '**/*.long.test.ts' : '**/*.test.ts'],
    exclude: isLong ? [] : ['**/*.long.test.ts'],
    globalSetup: `${import.meta.dirname}/harness/template.ts`,
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: 120_000,
    // No measure of anything: it only ends a wait in vain.
    expect: { poll: { timeout: 30_000 } },
    // The files of one worker share a portal, a browser and a mail receiver (harness/scene.ts).
    isolate: false,
    // Pages wait for their own delays half of the time: two cores have work for three.
    maxWorkers: 3,
  },
});
