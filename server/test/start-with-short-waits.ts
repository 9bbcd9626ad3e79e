// Starts the portal in one process, as main.ts does, but with shorter waiting times for tests. After SIGTERM the portal
// handles requests for one more second instead of five. The optional variable TEST_ARRIVAL_MS limits the time for a
// request to arrive. Most tests do not set it: on a busy machine, slow but valid requests would exceed a short limit.
import { readConfig, readEnvironment } from '../src/config.ts';
import { createLog } from '../src/log.ts';
import { startPortal } from '../src/start-portal.ts';

const config = readConfig(readEnvironment(process.cwd()));
const portal = await startPortal(config, createLog(config.logLevel), {
  drainMs: 1_000,
  arrivalMs: process.env.TEST_ARRIVAL_MS === undefined ? undefined : Number(process.env.TEST_ARRIVAL_MS),
});
process.once('SIGTERM', async () => {
  await portal.close({ drain: true });
  process.exit(0);
});
