// A program of two workers on PORT that die at their start while the file BROKEN is there; seconds are hundredths.
import cluster from 'node:cluster';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { pino } from 'pino';
import { serveWithWorkers } from '../src/serve-with-workers.ts';

const [port, broken = ''] = process.argv.slice(2);

if (cluster.isPrimary) {
  const stopping = new AbortController();
  process.once('SIGTERM', () => stopping.abort());
  await serveWithWorkers(2, {
    log: pino(),
    signal: stopping.signal,
    announce: () => console.log('announced'),
    pace: { firstPauseMs: 10, longestPauseMs: 50, steadyMs: 100, tries: 3 },
  }).catch((error: unknown) => {
    console.log(String(error));
    process.exit(1);
  });
} else if (existsSync(broken)) process.exit(3);
else {
  createServer((_request, response) => response.end(String(process.pid))).listen(Number(port), '127.0.0.1');
  process.once('SIGTERM', () => process.exit(0));
}
