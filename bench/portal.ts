// Starts the portal as an operator would, as a process of its own, and asks after its memory.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS } from './node-flags.ts';

const MAIN = fileURLToPath(new URL('../server/src/main.ts', import.meta.url));
const READY_POLL_MS = 20;

export type RunningPortal = {
  url: string;
  /** From the start of the process to the first answer of /readyz. */
  startSeconds: number;
  /** Resident memory in MB. */
  memory(): Promise<number>;
  /** The most that it has been, in MB. */
  peakMemory(): Promise<number>;
  stop(): Promise<void>;
};

/** `env` holds what the portal is to be told beside the address. */
export async function startPortal(port: number, env: Record<string, string>): Promise<RunningPortal> {
  const url = `http://localhost:${port}`;
  const startedMs = performance.now();
  const child = spawn(process.execPath, [...NODE_FLAGS, MAIN], {
    env: { PATH: process.env.PATH, PORT: String(port), LOG_LEVEL: 'error', RATE_LIMITS: 'off', ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  while (!(await isReady(url))) {
    if (child.exitCode !== null) throw new Error('The portal did not start; the reason stands above.');
    await new Promise((resolve) => setTimeout(resolve, READY_POLL_MS));
  }
  const startSeconds = (performance.now() - startedMs) / 1000;
  const readMemory = async (line: RegExp) =>
    Number(line.exec(await readFile(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;
  return {
    url,
    startSeconds,
    memory: () => readMemory(/VmRSS:\s+(\d+)/),
    peakMemory: () => readMemory(/VmHWM:\s+(\d+)/),
    stop: async () => {
      // As Ctrl-C: SIGTERM gives proxies time to turn away.
      child.kill('SIGINT');
      await once(child, 'exit');
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}
