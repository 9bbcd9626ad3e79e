// The real server as a process of its own, on a free port and a data folder that vanishes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { inject } from 'vitest';
import { NODE_FLAGS } from '../../bench/node-flags.ts';
import { findFreePort } from '../../server/test/postgres.ts';
import type { Mailbox } from './mailbox.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const MAIN = join(ROOT, 'server/src/main.ts');
const START_TIMEOUT_MS = 30_000;
const POLL_MS = 25;

/** The administrator of every portal under test. */
export const ADMIN_EMAIL = 'ada@provider.example';

export type Portal = {
  url: string;
  mailbox: Mailbox;
  /** Asks the server to stop and waits; answers its exit status, null when a signal ended it. */
  stop(): Promise<number | null>;
  /** Ends the server at once, as a power cut of the machine would. */
  kill(): Promise<void>;
  /** What the server has said so far. */
  output(): string;
};

type PortalOptions = {
  mailbox: Mailbox;
  /** Where to start it again after `kill`; by default a fresh port and a fresh folder, removed by `stop`. */
  place?: Place;
  env?: Record<string, string>;
  /** A file to run instead of the server's own, such as one with shorter waits. */
  program?: string;
};

export type Place = { port: number; dataDir: string };

/** A port and a data folder that outlive one process of the server. */
export async function makePlace(): Promise<Place> {
  const dataDir = await mkdtemp(join(tmpdir(), 'portal-e2e-'));
  await cp(join(inject('templateFolder'), 'pg'), join(dataDir, 'pg'), { recursive: true });
  return { port: await findFreePort(), dataDir };
}

/** Starts the server and waits until it is ready. */
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
  const child = spawn(process.execPath, [...NODE_FLAGS, program], {
    // Not the repository: a developer's .env there is no business of a test.
    cwd: dataDir,
    env: {
      PATH: process.env.PATH,
      // Reading the program costs each of them a second of a processor otherwise.
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
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  await waitUntilReady(child, url, () => said);

  return {
    url,
    mailbox,
    output: () => said,
    stop: async () => {
      const status = await endProcess(child, 'SIGTERM');
      if (!place) await rm(dataDir, { recursive: true, force: true });
      return status;
    },
    kill: async () => {
      await endProcess(child, 'SIGKILL');
    },
  };
}

async function waitUntilReady(child: ChildProcess, url: string, said: () => string): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) break;
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    if (answer?.ok) return;
    await delay(POLL_MS);
  }
  child.kill('SIGKILL');
  throw new Error(`the portal did not start:\n${said()}`);
}

async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
  return child.exitCode;
}
