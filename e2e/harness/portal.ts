// Starts the server in its own process, on a free port and with a temporary data folder.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { NODE_FLAGS } from '../../bench/node-flags.ts';
import { findFreePort } from '../../server/test/postgres.ts';
import type { Mailbox } from './mailbox.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const MAIN = join(ROOT, 'server/src/main.ts');
const OPERATOR = join(ROOT, 'server/src/operator.ts');
// Shorter than the time-out of set-up (e2e/vitest.config.ts), so that the error has the log of the portal.
const START_TIMEOUT_MS = 110_000;
const POLL_MS = 25;

/** Address of the administrator of every portal under test. */
export const ADMIN_EMAIL = 'ada@provider.example';

export type Portal = {
  url: string;
  mailbox: Mailbox;
  /** Sends SIGTERM and waits for the end. Returns the exit status, or null if a signal ended the process. */
  stop(): Promise<number | null>;
  /** Sends SIGKILL and waits for the end. */
  kill(): Promise<void>;
  /** Returns the combined stdout and stderr so far. */
  output(): string;
  /** Runs a command of the operator while the portal runs, such as `admin add`. Rejects if the command fails. */
  operate(...command: string[]): Promise<void>;
};

type PortalOptions = {
  mailbox: Mailbox;
  /**
   * Port and data folder of an earlier start, to start the same portal again after `kill`. By default, the portal gets
   * a new port and a new data folder, and `stop` removes this folder.
   */
  place?: Place;
  env?: Record<string, string>;
  /** A program to run instead of main.ts, for example one with shorter time-outs. */
  program?: string;
};

export type Place = { port: number; dataDir: string };

/** Creates a data folder from the template and chooses a port. Both remain after the server's process has ended. */
export async function makePlace(): Promise<Place> {
  const dataDir = await mkdtemp(join(tmpdir(), 'portal-e2e-'));
  await cp(join(inject('templateFolder'), 'pg'), join(dataDir, 'pg'), { recursive: true });
  return { port: await findFreePort(), dataDir };
}

/** Starts the server and returns when it is ready. Throws if it is not ready within 30 seconds. */
export async function startPortal({
  mailbox,
  place,
  env = {},
  program = MAIN,
}: PortalOptions): Promise<Portal> {
  if (!existsSync(join(ROOT, 'web/dist/.vite/manifest.json')))
    throw new Error('Build the pages first: npm run build');
  const { port, dataDir } = place ?? (await makePlace());
  const url = `http://127.0.0.1:${port}`;
  // The server reads .env in its working directory; a developer's .env must not affect tests.
  const cwd = dataDir;
  const settings = {
    PATH: process.env.PATH,
    // Without this cache of compiled code, each process would spend a second on compiling the program.
    NODE_COMPILE_CACHE: join(ROOT, '.cache/compiled'),
    PORT: String(port),
    PUBLIC_URL: url,
    DATA_DIR: dataDir,
    SMTP_URL: mailbox.url,
    MAIL_FROM: 'Partner Benefits <benefits@provider.example>',
    ADMIN_EMAILS: ADMIN_EMAIL,
    AUTH_MAIL_INTERVAL_SECONDS: '0',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'warn',
    ...env,
  };
  const child = spawn(process.execPath, [...NODE_FLAGS, program], {
    cwd,
    env: settings,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  let log = '';
  child.stdout.on('data', (chunk: Buffer) => {
    log += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk;
  });
  await waitUntilReady(child, url, () => log);

  return {
    url,
    mailbox,
    output: () => log,
    stop: async () => {
      const status = await endProcess(child, 'SIGTERM');
      if (!place) await rm(dataDir, { recursive: true, force: true });
      return status;
    },
    kill: async () => {
      await endProcess(child, 'SIGKILL');
    },
    operate: async (...command) => {
      await promisify(execFile)(process.execPath, [OPERATOR, ...command], { cwd, env: settings });
    },
  };
}

/** Rejects with the log if `child` ends, or is not ready after `START_TIMEOUT_MS`. */
export async function waitUntilReady(child: ChildProcess, url: string, log: () => string): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) break;
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    if (answer?.ok) return;
    await delay(POLL_MS);
  }
  child.kill('SIGKILL');
  throw new Error(`the portal did not start:\n${log()}`);
}

async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
  return child.exitCode;
}
