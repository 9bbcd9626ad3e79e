// Measures the memory and the time of `script/portal backup` and `script/portal restore`, for a database with 1,000
// codes and for one with a million.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { migrate } from '../server/src/db/migrate.ts';
import { ENGINES, type OnEngine, type Place } from './engines.ts';
import { showOne, table } from './format.ts';
import { makeProduct } from './seed.ts';

const OPERATOR = fileURLToPath(new URL('../server/src/operator.ts', import.meta.url));
const FEW = 1_000;
const MANY = 1_000_000;
const POLL_MS = 20;

/** `memory` is the peak resident memory of the process of `script/portal`, in MB. */
type Run = { memory: number; seconds: number };

/** Runs the benchmark. Returns its chapter of bench/results.md, as Markdown. */
export async function reportBackups(): Promise<string> {
  const rows: string[][] = [];
  for (const [name, onEngine] of ENGINES) {
    const { few, many, restored } = await measureEngine(onEngine);
    const memory = [few, many, restored].map((run) => showOne(run.memory));
    const seconds = [many, restored].map((run) => showOne(run.seconds, 1));
    rows.push([name, ...memory, ...seconds]);
  }
  const [few, many] = [showOne(FEW), showOne(MANY)];
  return `\`script/portal backup\` and \`restore\` of a database with ${few} codes and of a database with ${many}, while no portal runs. *MB* is the peak
memory of the process of \`script/portal\`; on the embedded engine, the database runs in this process. Each figure is from one run.

${table(
  [
    'engine',
    `backup of ${few}, MB`,
    `backup of ${many}, MB`,
    `restore of ${many}, MB`,
    `backup of ${many}, seconds`,
    `restore of ${many}, seconds`,
  ],
  rows,
)}`;
}

async function measureEngine(onEngine: OnEngine): Promise<Record<'few' | 'many' | 'restored', Run>> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-backups-'));
  try {
    const file = join(folder, 'codes.backup');
    return await onEngine(async (source) => {
      await addCodes(source, FEW);
      const few = await runTool(source, 'backup', file);
      await addCodes(source, MANY - FEW);
      const many = await runTool(source, 'backup', file);
      const restored = await onEngine((target) => runTool(target, 'restore', file));
      return { few, many, restored };
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function addCodes({ open }: Place, count: number): Promise<void> {
  const db = await open();
  await migrate(db);
  await makeProduct(db, count);
  await db.close();
}

async function runTool({ env }: Place, ...args: string[]): Promise<Run> {
  const startedMs = performance.now();
  const tool = spawn(process.execPath, [OPERATOR, ...args], {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH, SECRET_KEY: Buffer.alloc(32, 7).toString('base64'), ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(tool, 'exit');
  let memory = 0;
  while (tool.exitCode === null && tool.signalCode === null) {
    const status = await readFile(`/proc/${tool.pid}/status`, 'utf8').catch(() => '');
    memory = Math.max(memory, Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024);
    await Promise.race([ended, delay(POLL_MS)]);
  }
  if (tool.exitCode !== 0) throw new Error(`script/portal ${args[0]} failed; the reason stands above.`);
  return { memory, seconds: (performance.now() - startedMs) / 1000 };
}
