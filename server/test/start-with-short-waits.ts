// Starts the portal as main.ts does, in one process, with seconds where production waits for half a minute.
import { readConfig, readEnvironment } from '../src/config.ts';
import { createLog } from '../src/log.ts';
import { startPortal } from '../src/start-portal.ts';

const config = readConfig(readEnvironment(process.cwd()));
const portal = await startPortal(config, createLog(config.logLevel), {
  drainMs: 1_000,
  arrivalMs: 2_000,
  imports: { lookEveryMs: 500, idleSeconds: 2 },
});
process.once('SIGTERM', async () => {
  await portal.close({ drain: true });
  process.exit(0);
});
