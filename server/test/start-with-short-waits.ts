// Starts the portal as main.ts does, in one process, with seconds where production waits for half a minute. TEST_ARRIVAL_MS
// shortens also how long a request may take to arrive: a busy machine can be too slow for an honest one then.
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
