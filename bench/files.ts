// Measures how fast files of people and codes are checked, imported, undone and exported over HTTP, how much memory the
// server needs for this, and how fast learners redeem meanwhile.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { addUpTally } from '../server/src/features/dashboard/tally.sql.ts';
import { countLines } from './count-lines.ts';
import { ENGINES, type Place } from './engines.ts';
import { median, showOne, table } from './format.ts';
import { makeCodes } from './imports.ts';
import type { RunningPortal } from './portal.ts';
import { redeemAll } from './run-load.ts';
import { prepareScene, type Scene } from './scene.ts';
import { makeCohorts, makePeople, makeProduct } from './seed.ts';

/** `people`: rows of a file of people. `codes`: rows of a file of codes. `learners`: those who redeem meanwhile. */
type Size = { people: number; codes: number; learners: number };

const SIZES: Record<string, Size> = {
  embedded: { people: 100_000, codes: 300_000, learners: 1_000 },
  PostgreSQL: { people: 300_000, codes: 1_000_000, learners: 2_000 },
};
// Two fewer than the portal allows, because the uploads add two cohorts.
const COHORTS = 998;
const COHORTS_OF_PERSON = 5;
/** Maximum number of rounds of redemptions during one task. */
const LOADS = 4;
// With more than ten calls a second, the job would pause, and the measured speed would be too low.
const POLL_MS = 500;

/** A measured task. `prepare` is not measured. `run` returns the number of rows. */
type Task = {
  name: string;
  /** Name of the task to which this task is compared. */
  peer?: string;
  prepare?: () => Promise<void>;
  run(signal?: AbortSignal): Promise<number>;
};

/** Runs the benchmark. Returns its chapter of bench/results.md, as Markdown. */
export async function reportFiles(): Promise<string> {
  const rows: string[][] = [];
  for (const [name, onEngine] of ENGINES) {
    const measured = await onEngine((place) => measureTasks(place, SIZES[name] as Size));
    rows.push(...measured.map((cells) => [name, ...cells]));
  }
  return `Files over HTTP. There are ${showOne(COHORTS)} cohorts, and everybody is in ${COHORTS_OF_PERSON} of them. Each task runs twice: first without other calls, then while
learners redeem, 64 at a time.

- *ratio*: rows a second, divided by the rows a second of the named task
- *usual*: redemptions a second before and after the task; during the task, learners should keep at least half of them
- *memory*: the peak memory of the server minus its memory before the task

${table(['engine', 'task', 'rows', 'seconds', 'rows a second', 'ratio', 'memory grew by, MB', 'redeemed beside it, of usual'], rows)}`;
}

async function measureTasks(place: Place, { people, codes, learners }: Size): Promise<string[][]> {
  const hot: string[] = [];
  const targets: string[] = [];
  const scene = await prepareScene(place, learners, async (db) => {
    while (targets.length < 2) targets.push(await makeProduct(db, 0));
    while (hot.length < 1 + 8 * (LOADS + 2)) hot.push(await makeProduct(db, learners));
    await makePeople(db, people);
    await makeCohorts(db, { count: COHORTS, each: COHORTS_OF_PERSON, products: targets });
    // The exports need assigned codes.
    const taken = await makeProduct(db, people);
    await db.query(
      `update coupon c set assigned_at = now(), assigned_by = 'learner', is_current = true, holder = u.id
       from (select id, row_number() over (order by id) as n from app_user where email like 'person-%') u
       where c.product_id = $1 and c.coupon_code = 'CODE-' || u.n`,
      [taken],
    );
    await addUpTally(db, new Date());
    await db.execute('vacuum analyze');
  });
  const portal = await scene.start();
  try {
    const rates = new Map<string, number>();
    const rows: string[][] = [];
    const redeem = () => redeemAll(portal.url, scene.learners, hot.pop() ?? '');
    await redeem();
    for (const task of listTasks(portal, scene, { people, codes, targets })) {
      await task.prepare?.();
      await portal.forgetPeak();
      const rest = await portal.memory();
      const startedMs = performance.now();
      const count = await task.run();
      const seconds = (performance.now() - startedMs) / 1000;
      const growth = (await portal.peakMemory()) - rest;
      rates.set(task.name, count / seconds);
      const peer = rates.get(task.peer ?? '');
      rows.push([
        task.name,
        showOne(count),
        showOne(seconds, 1),
        showOne(count / seconds),
        peer === undefined ? '' : `${showOne(count / seconds / peer, 2)} of ${task.peer}`,
        showOne(growth),
        showOne(await redeemBeside(task, redeem), 2),
      ]);
    }
    return rows;
  } finally {
    await portal.stop();
  }
}

/** Runs the task while learners redeem. Returns their redemptions per second, divided by those without the task. */
async function redeemBeside(task: Task, redeem: () => Promise<number>): Promise<number> {
  await task.prepare?.();
  const usual = [await redeem()];
  const stop = new AbortController();
  let isDone = false;
  const ended = task.run(stop.signal).finally(() => {
    isDone = true;
  });
  const beside: number[] = [];
  while (beside.length < LOADS) {
    const redeemed = await redeem();
    // If the task ended during this round, the round counts only if it is the first one.
    if (!isDone || beside.length === 0) beside.push(redeemed);
    if (isDone) break;
  }
  stop.abort();
  await ended;
  usual.push(await redeem());
  return median(beside) / median(usual);
}

function listTasks(
  portal: RunningPortal,
  scene: Scene,
  { people, codes, targets }: { people: number; codes: number; targets: readonly string[] },
): Task[] {
  const staff = { authorization: `Bearer ${scene.adminToken}` };
  const product = targets[0] ?? '';
  /** Makes a call as staff: with a body a POST, else a GET. Throws unless it succeeds. */
  const call = async <T>(path: string, body?: object): Promise<T> => {
    const post = { method: 'POST', body: JSON.stringify(body) };
    const headers = body === undefined ? staff : { ...staff, 'content-type': 'application/json' };
    const answer = await fetch(portal.url + path, { headers, ...(body !== undefined && post) });
    if (!answer.ok) throw new Error(`${answer.status} for ${path}: ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const upload = async (path: string, body: object, total: number) => {
    type Reply = { results?: { success: number }; preview?: { new: number } };
    const { results, preview } = await call<Reply>(path, body);
    const found = results?.success ?? preview?.new;
    if (found !== total) throw new Error(`${found} of ${total} rows`);
    return total;
  };
  let files = 0;
  const makePeopleFile = () => {
    files += 1;
    const lines = Array.from(
      { length: people },
      (_, row) => `file-${files}-${row}@example.org,Person ${row}`,
    );
    return `email,name\n${lines.join('\n')}\n`;
  };
  const uploadPeople = (fields: object) =>
    upload('/api/admin/users/bulk', { ...fields, csvData: makePeopleFile() }, people);
  const sendCodes = (check: boolean) => {
    files += 1;
    const csvData = `coupon_code\n${makeCodes(codes, `FILE-${files}`).join('\n')}\n`;
    return upload('/api/admin/coupons/bulk', { csvData, productId: targets[1], check }, codes);
  };
  let cohort_id = '';
  let undone = '';
  return [
    { name: 'users import', run: () => uploadPeople({ product_ids: [product] }) },
    {
      name: 'upload into a cohort',
      peer: 'users import',
      prepare: async () => {
        files += 1;
        ({ cohort_id } = await call<{ cohort_id: string }>('/api/admin/cohorts', { name: `File ${files}` }));
      },
      run: () => uploadPeople({ cohort_id }),
    },
    {
      name: 'undo of an upload of people',
      prepare: async () => {
        undone = randomUUID();
        await uploadPeople({ product_ids: [product], import_id: undone });
      },
      run: async () => {
        const path = `/api/admin/imports/${undone}/undo`;
        const { people: expected } = await call<{ people: number }>(path);
        const { job_id } = await call<{ job_id: string }>(path, { expected });
        for (;;) {
          type Job = { state: string; results: { people: number } };
          const { state, results } = await call<Job>(`/api/admin/imports/${job_id}`);
          if (state === 'done') return results.people;
          if (state !== 'running') throw new Error(`The undo ended as ${state}.`);
          await pause(POLL_MS);
        }
      },
    },
    { name: 'codes import', run: () => sendCodes(false) },
    { name: 'check of codes', peer: 'codes import', run: () => sendCodes(true) },
    ...['codes', 'users', 'redemptions'].map((list) => ({
      name: `${list}.csv`,
      run: (signal?: AbortSignal) => countLines(`${portal.url}/api/admin/export/${list}.csv`, staff, signal),
    })),
  ];
}
