// Starts the portal, and stops the portal when the process gets a signal. With --demo, the portal has sample data in a
// temporary database.
import cluster from 'node:cluster';
import { type Config, readConfig, readEnvironment } from './config.ts';
import type { Demo } from './demo/fill-demo.ts';
import { describeFailure } from './describe-failure.ts';
import { countAdmins } from './features/people/people.sql.ts';
import { createLog } from './log.ts';
import { serveWithWorkers } from './serve-with-workers.ts';
import { startPortal } from './start-portal.ts';

const stopping = new AbortController();
// Handles only the first SIGINT, so that a second Ctrl-C ends the process immediately. Handles every SIGTERM, because a
// worker may get a SIGTERM from the service manager and another SIGTERM from the primary process.
process.once('SIGINT', () => stopping.abort('SIGINT'));
process.on('SIGTERM', () => stopping.abort('SIGTERM'));

let demo: Demo | null = null;
let config: Config | null = null;
try {
  const env = readEnvironment(process.cwd());
  if (process.argv.includes('--demo')) demo = await (await import('./demo/fill-demo.ts')).prepareDemo(env);
  config = readConfig(demo?.env ?? env);
  await (config.workers > 1 && cluster.isPrimary ? keepWorkers(config) : serve(config));
} catch (error) {
  await demo?.close();
  const line = describeFailure(error, config);
  if (line === null) throw error;
  console.error(line);
  process.exit(1);
}

async function serve(config: Config): Promise<void> {
  const portal = await startPortal(config, createLog(config.logLevel));
  const stop = async () => {
    await portal.close({ drain: stopping.signal.reason === 'SIGTERM' });
    await demo?.close();
    process.exit(0);
  };
  if (stopping.signal.aborted) return stop();
  stopping.signal.addEventListener('abort', stop);
  if (demo !== null) console.log(await demo.fill(portal.db, config.publicUrl));
  else if ((cluster.worker?.id ?? 1) === 1 && (await countAdmins(portal.db)) === 0) {
    console.log('There is no administrator yet. Make one:\n\n  script/portal admin add you@example.org\n');
  }
  // With several workers, only the primary process prints the address.
  if (cluster.isPrimary) announce(config);
}

function announce({ publicUrl, smtpUrl }: Config): void {
  console.log(`Partner Benefits Portal: ${publicUrl}\nStaff sign in at ${publicUrl}/admin-login`);
  if (smtpUrl === null) console.log(`Emails: ${publicUrl}/dev/outbox`);
}

function keepWorkers(config: Config): Promise<void> {
  return serveWithWorkers(config.workers, {
    log: createLog(config.logLevel),
    signal: stopping.signal,
    announce: () => announce(config),
  });
}
