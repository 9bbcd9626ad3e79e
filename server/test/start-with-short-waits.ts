// Starts the portal as main.ts does, in one process, but drains requests for one second instead of five.
// TEST_ARRIVAL_MS shortens the time in which a request must arrive; it is optional, because a busy machine may then
// reject slow but valid requests.
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
