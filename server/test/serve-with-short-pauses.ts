// A program for tests of `serveWithWorkers`: serves HTTP with two workers. The arguments are a port and the path of a
// file. While this file exists, each worker exits soon after its start. If the file contains 'early', the worker exits
// before it listens. If the file contains 'late', the worker exits as soon as it listens.
// All waiting times are at least 10 times shorter than in production.
import cluster from 'node:cluster';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { pino } from 'pino';
import { serveWithWorkers } from '../src/serve-with-workers.ts';

const LATE_MS = 10;

const [port, broken = ''] = process.argv.slice(2);

if (cluster.isPrimary) {
  const stopping = new AbortController();
  process.once('SIGTERM', () => stopping.abort());
  await serveWithWorkers(2, {
    log: pino(),
    signal: stopping.signal,
    announce: () => console.log('announced'),
    pace: { firstPauseMs: 10, longestPauseMs: 50, steadyMs: 1_000, tries: 3 },
  }).catch((error: unknown) => {
    console.log(String(error));
    process.exit(1);
  });
} else {
  const fault = existsSync(broken) ? readFileSync(broken, 'utf8') : null;
  if (fault === 'early') process.exit(3);
  createServer((_request, response) => response.end(String(process.pid))).listen(
    Number(port),
    '127.0.0.1',
    () => {
      if (fault === 'late') setTimeout(() => process.exit(3), LATE_MS);
    },
  );
  process.once('SIGTERM', () => process.exit(0));
}
