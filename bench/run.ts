// Runs the benchmarks and writes bench/results.md: each figure as a ratio, measured in one run.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from '../server/src/db/open-embedded.ts';
import { openPostgres } from '../server/src/db/open-postgres.ts';
import { startPostgres } from '../server/test/postgres.ts';
import { measureRedemptions, type Redemptions } from './redemptions.ts';

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** The median, with lowest and highest. */
function show(values: number[], digits = 0): string {
  const figure = (value: number) => value.toFixed(digits).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  return `${figure(median(values))} (${figure(Math.min(...values))} to ${figure(Math.max(...values))})`;
}

function row(
  engine: string,
  { bare, overHttp, startSeconds, restMemory, loadedMemory }: Redemptions,
): string {
  const ratios = overHttp.map((value, round) => value / (bare[round] ?? Number.NaN));
  const cells = [
    show(overHttp),
    show(bare),
    show(ratios, 2),
    show(startSeconds, 2),
    show(restMemory),
    show(loadedMemory),
  ];
  return `| ${[engine, ...cells].join(' | ')} |`;
}

async function measureEmbedded(): Promise<Redemptions> {
  const dataDir = await mkdtemp(join(tmpdir(), 'portal-bench-'));
  try {
    return await measureRedemptions(() => openEmbedded(dataDir), { DATA_DIR: dataDir });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function measurePostgres(): Promise<Redemptions> {
  const server = await startPostgres({ durable: true });
  try {
    return await measureRedemptions(() => openPostgres({ url: server.url }), { DATABASE_URL: server.url });
  } finally {
    await server.stop();
  }
}

const rows = [row('embedded', await measureEmbedded()), row('PostgreSQL', await measurePostgres())];
const machine = `${availableParallelism()} cores of ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}`;
const text = `# Benchmarks

Measured on ${new Date().toISOString().slice(0, 10)} by \`script/bench\` on ${machine}. Server, database and load share the machine, and
other work may too: only the ratio, of two sides that took turns in one run, carries over to another. Each
figure is the median of five rounds, with the lowest and the highest.

## Redemptions

4,000 learners redeem one hot product, 64 at a time; every commit is durable. *Bare* is the same statement in a
loop without HTTP, tokens and sessions (PostgreSQL: 16 connections).

| engine | over HTTP, a second | bare, a second | ratio | start, seconds | memory at rest, MB | after the load, MB |
| --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
await writeFile(new URL('./results.md', import.meta.url), text);
console.log(text);
