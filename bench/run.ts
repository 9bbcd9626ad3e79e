// Runs the benchmarks and writes bench/results.md: each figure as a ratio, measured in one run.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from '../server/src/db/open-embedded.ts';
import { openPostgres } from '../server/src/db/open-postgres.ts';
import { startPostgres } from '../server/test/postgres.ts';
import { type Imports, measureImport } from './imports.ts';
import { type Lists, measureLists } from './lists.ts';
import { measureRedemptions, type Redemptions } from './redemptions.ts';

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function percentile(values: number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
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

const IMPORT = {
  embedded: { rows: 300_000, learners: 1_000, rounds: 5 },
  postgres: { rows: 1_000_000, learners: 2_000, rounds: 5 },
};
const LIST_SIZES = [1_000, 1_000_000];
const servers: (() => Promise<void>)[] = [];

function importRow(engine: string, { usual, beside, rowsPerSecond, memoryGrowth }: Imports): string {
  const cells = [show(usual), show(beside), (median(beside) / median(usual)).toFixed(2)];
  return `| ${[engine, ...cells, show([rowsPerSecond]), show([memoryGrowth])].join(' | ')} |`;
}

function listRow(engine: string, lists: Lists): string {
  const [few, many] = lists.map(({ milliseconds }) => percentile(milliseconds, 0.95));
  const cells = [few, many].map((value) => (value ?? Number.NaN).toFixed(1));
  return `| ${[engine, ...cells, ((many ?? Number.NaN) / (few ?? Number.NaN)).toFixed(2)].join(' | ')} |`;
}

async function inFolder<T>(work: (dataDir: string) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'portal-bench-'));
  try {
    return await work(dataDir);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function onPostgres<T>(work: (url: string) => Promise<T>): Promise<T> {
  const server = await startPostgres({ durable: true });
  try {
    return await work(server.url);
  } finally {
    await server.stop();
  }
}

const redemptionRows = [
  row('embedded', await inFolder((dir) => measureRedemptions(() => openEmbedded(dir), { DATA_DIR: dir }))),
  row(
    'PostgreSQL',
    await onPostgres((url) => measureRedemptions(() => openPostgres({ url }), { DATABASE_URL: url })),
  ),
];
const importRows = [
  importRow(
    'embedded',
    await inFolder((dir) => measureImport(() => openEmbedded(dir), { DATA_DIR: dir }, IMPORT.embedded)),
  ),
  importRow(
    'PostgreSQL',
    await onPostgres((url) =>
      measureImport(() => openPostgres({ url }), { DATABASE_URL: url }, IMPORT.postgres),
    ),
  ),
];
const listRows = [
  listRow(
    'embedded',
    await inFolder((parent) =>
      measureLists(async () => {
        const dir = await mkdtemp(join(parent, 'data-'));
        return { db: await openEmbedded(dir), env: { DATA_DIR: dir } };
      }, LIST_SIZES),
    ),
  ),
  listRow(
    'PostgreSQL',
    await measureLists(async () => {
      const { url, stop } = await startPostgres({ durable: true });
      servers.push(stop);
      return { db: await openPostgres({ url }), env: { DATABASE_URL: url } };
    }, LIST_SIZES),
  ),
];
for (const stop of servers) await stop();

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
${redemptionRows.join('\n')}

## Imports

Codes are imported over HTTP (embedded: ${IMPORT.embedded.rows.toLocaleString('en')}, PostgreSQL: ${IMPORT.postgres.rows.toLocaleString('en')}) while learners redeem
another product, 64 at a time. *Usual* is what they redeem before and after; half of it is to be left to them.

| engine | redeemed usually, a second | beside the import | ratio | rows imported meanwhile, a second | memory grew by, MB |
| --- | --- | --- | --- | --- | --- |
${importRows.join('\n')}

## Lists

Pages, filters and searches of the coupon list over HTTP, 95th percentile in milliseconds; ten products, half of the codes handed out.

| engine | with 1,000 codes | with 1,000,000 codes | ratio |
| --- | --- | --- | --- |
${listRows.join('\n')}
`;
await writeFile(new URL('./results.md', import.meta.url), text);
console.log(text);
