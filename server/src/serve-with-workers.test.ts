// Tests that the primary process starts a new worker when a worker has died, and gives up if workers die again and
// again.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { findFreePort } from '../test/postgres.ts';
import { SPAWN_ENV } from '../test/spawn-env.ts';

const PROGRAM = fileURLToPath(import.meta.resolve('../test/serve-with-short-pauses.ts'));

type Line = { msg: string; worker: number; diedAtOnce?: number; pauseMs?: number };

/**
 * Starts a program with two workers, and passes it the path of a file (`broken`). While this file exists, each worker
 * exits soon after its start. If the file contains 'early', the worker exits before it listens. If the file contains
 * 'late', the worker exits as soon as it listens.
 */
async function start(fault?: 'early') {
  const folder = await mkdtemp(join(tmpdir(), 'portal-workers-'));
  const broken = join(folder, 'broken');
  if (fault) await writeFile(broken, fault);
  const program = spawn(process.execPath, [PROGRAM, String(await findFreePort()), broken], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: SPAWN_ENV,
  });
  let said = '';
  program.stdout.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  onTestFinished(async () => {
    await stop(program);
    await rm(folder, { recursive: true });
  });
  const list = (message: string) => {
    const lines = said
      .split('\n')
      .slice(0, -1)
      .filter((line) => line.startsWith('{'));
    return lines.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg === message);
  };
  return {
    program,
    broken,
    said: () => said,
    listSteady: () => list('worker is steady').map(({ worker }) => worker),
    listEnded: () => list('worker ended; starting another'),
  };
}

async function stop(program: ChildProcess): Promise<number | null> {
  if (program.exitCode === null && program.signalCode === null) {
    // Waits for the event 'close' instead of 'exit'. At the event 'exit', some output of the program may not have been
    // read yet.
    const closed = once(program, 'close');
    program.kill('SIGTERM');
    await closed;
  }
  return program.exitCode;
}

test.each(['early', 'late'])(
  'workers that keep dying (%s) are restarted after growing pauses, then the process ends with an error',
  async (fault) => {
    const { program, broken, said, listSteady, listEnded } = await start();
    await expect.poll(listSteady).toHaveLength(2);
    // Waits for the event 'close' instead of 'exit'. At the event 'exit', some output of the program may not have been
    // read yet.
    const exited = once(program, 'close');
    await writeFile(broken, fault);
    for (const worker of listSteady()) process.kill(worker, 'SIGKILL');
    expect(await exited).toEqual([1, null]);
    expect(listEnded().map(({ diedAtOnce, pauseMs }) => [diedAtOnce, pauseMs])).toEqual([
      [0, 10],
      [0, 10],
      [1, 10],
      [2, 10],
      [3, 20],
      [4, 20],
      [5, 40],
    ]);
    expect(said()).toMatch(
      /WorkersError: Workers died at once 6 times in a row; the reason stands above\.\n$/,
    );
  },
);

test('while one worker serves, dead workers are restarted without limit', async () => {
  const { program, broken, said, listSteady, listEnded } = await start();
  await expect.poll(listSteady).toHaveLength(2);
  await writeFile(broken, 'early');
  const [first, second] = listSteady() as [number, number];
  process.kill(first, 'SIGKILL');
  await expect.poll(() => listEnded().at(-1)?.diedAtOnce).toBeGreaterThan(7);
  expect(listEnded().at(-1)?.pauseMs).toBe(50);
  await rm(broken);
  await expect.poll(() => listSteady().length).toBe(3);
  expect(listEnded().map(({ worker }) => worker)).not.toContain(second);
  const ended = listEnded().length;
  expect(await stop(program)).toBe(0);
  expect(listEnded(), 'workers that were told to stop').toHaveLength(ended);
  expect(said().match(/announced/g)).toHaveLength(1);
});

test('a program whose workers die before any of them listened ends at once', async () => {
  const { program, said, listEnded } = await start('early');
  expect(await once(program, 'close')).toEqual([1, null]);
  expect(said()).toBe('WorkersError: The portal did not start; the reason stands above.\n');
  expect(listEnded()).toEqual([]);
});
