// Starts the portal in its own process, with the Node flags of script/start, and reads the memory of that process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS, START_ENV } from './node-flags.ts';

const MAIN = fileURLToPath(new URL('../server/src/main.ts', import.meta.url));
const READY_POLL_MS = 20;

export type RunningPortal = {
  url: string;
  /** Seconds from the start of the process until /readyz first responds with success. */
  startSeconds: number;
  /** Resident memory in MB. */
  memory(): Promise<number>;
  /** Peak resident memory in MB, since the start or the last call of `forgetPeak`. */
  peakMemory(): Promise<number>;
  /** Resets the peak that `peakMemory` returns. */
  forgetPeak(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Starts the portal and returns when /readyz responds with success. `env` contains environment variables for the
 * process; they take precedence over the variables that this function sets.
 */
export async function startPortal(port: number, env: Record<string, string>): Promise<RunningPortal> {
  const url = `http://localhost:${port}`;
  const startedMs = performance.now();
  const child = spawn(process.execPath, [...NODE_FLAGS, MAIN], {
    env: {
      ...START_ENV,
      PATH: process.env.PATH,
      PORT: String(port),
      LOG_LEVEL: 'error',
      RATE_LIMITS: 'off',
      ...env,
    },
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
    // Linux sets the peak to the memory that the process has now (proc_pid_clear_refs(5)).
    forgetPeak: () => writeFile(`/proc/${child.pid}/clear_refs`, '5'),
    stop: async () => {
      // Sends SIGINT, because SIGINT stops the portal at once. After SIGTERM the portal would handle requests for some
      // more seconds, until proxies have noticed the stop.
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
