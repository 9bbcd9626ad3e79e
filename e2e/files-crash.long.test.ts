// Kills the portal with SIGKILL while it checks a file of codes, imports a file of people, exports people, and takes the
// import back. Tests that each of them goes on or fails visibly, and that nothing is lost, done twice or half done.
import { randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import {
  createCohort,
  exportUsers,
  getCohort,
  getImport,
  getImportUndo,
  importCoupons,
  importUsers,
  type JobState,
  startImport,
  undoImport,
} from '@portal/contract';
import { expect, onTestFinished, test } from 'vitest';
import type { Database } from '../server/src/db/database.ts';
import { openEmbedded } from '../server/src/db/open-embedded.ts';
import { openPostgres } from '../server/src/db/open-postgres.ts';
import { recountTally } from '../server/src/usecases/recount-tally.ts';
import { startPostgres } from '../server/test/postgres.ts';
import { callApi, openAdmin, signIn } from './harness/api.ts';
import { openMailbox } from './harness/mailbox.ts';
import { ADMIN_EMAIL, makePlace, startPortal } from './harness/portal.ts';
import { waitForProgress } from './harness/progress.ts';

/** Rows of the files. A check is much faster than an import, so its file is larger. */
type Size = { codes: number; people: number };
/** The first people of the file, who have access and are members before the upload. */
const EARLIER = 100;
const INVALID_ROWS = 3;
// With these long names, the file of an export is larger than what sockets hold, about 4 MB. So an export that nobody
// reads cannot end before the portal is killed.
const FAMILY_NAME = 'Longname'.repeat(20);
/** The portal is killed when a job has done these shares of its rows. */
const KILL_AT = [0.05, 0.2];

test('R-IMP-01, R-IMP-11, R-IMP-21: on the embedded engine, files and exports survive crashes', async () => {
  const size = { codes: 300_000, people: 20_000 };
  await surviveCrashes(size, {}, ({ dataDir }) => openEmbedded(dataDir));
});

test('R-IMP-01, R-IMP-11, R-IMP-21: on PostgreSQL, files and exports survive crashes', async () => {
  const server = await startPostgres({ durable: true });
  onTestFinished(server.stop);
  const env = { DATABASE_URL: server.url, SECRET_KEY: randomBytes(32).toString('base64') };
  const size = { codes: 1_000_000, people: 60_000 };
  await surviveCrashes(size, env, () => openPostgres({ url: server.url, maxConnections: 1 }));
});

async function surviveCrashes(
  { codes, people: all }: Size,
  env: Record<string, string>,
  openDatabase: (place: { dataDir: string }) => Promise<Database>,
): Promise<void> {
  const mailbox = await openMailbox();
  const place = await makePlace();
  let portal = await startPortal({ mailbox, place, env });
  onTestFinished(async () => {
    await portal.stop();
    await mailbox.close();
    await rm(place.dataDir, { recursive: true, force: true });
  });
  const { product_id } = await (await openAdmin(portal)).addProduct({ name: 'Large' });
  const { access_token: token } = await signIn(portal, ADMIN_EMAIL);
  const { cohort_id } = await callApi(portal.url, createCohort, {
    token,
    body: { name: 'Autumn', note: null },
  });
  const target = { product_ids: [product_id], cohort_id };
  const read = (id: string): Promise<JobState> => callApi(portal.url, getImport, { token, params: { id } });
  const countMembers = async () => {
    const { members } = await callApi(portal.url, getCohort, { token, params: { id: cohort_id } });
    return members;
  };

  /** Kills the portal each time the job has come as far as KILL_AT says, and waits until `isOver`. */
  const killDuring = async (id: string, isOver: (job: JobState) => boolean): Promise<JobState> => {
    for (const [kills, share] of KILL_AT.entries()) {
      const readShare = async () => {
        const job = await read(id).catch((error: Error) => {
          // The upload may still be on its way.
          if (error.message.includes(' 404 ')) return null;
          throw error;
        });
        return job === null ? 0 : job.rows_done / Math.max(job.rows_total, 1);
      };
      await waitForProgress(readShare, share);
      // On a busy machine, the test may notice late that the job has come so far.
      if (kills > 0 && isOver(await read(id))) break;
      expect(isOver(await read(id)), 'the job ended before the first crash').toBe(false);
      await portal.kill();
      if (env.DATABASE_URL !== undefined) await endLeases();
      portal = await startPortal({ mailbox, place, env });
    }
    await waitForProgress(async () => {
      const job = await read(id);
      if (isOver(job)) return 1;
      // A check begins with the first row again after a crash.
      return Math.min(job.rows_done / job.rows_total, 0.999_999);
    }, 1);
    return read(id);
  };
  // The killed process had leases on its jobs. Otherwise the new process could wait two minutes for them.
  const endLeases = async () => {
    const db = await openDatabase(place);
    // The server may still run the last statement of the killed process, which can renew a lease.
    const others = `select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`;
    await expect.poll(async () => (await db.query(others)).rowCount).toBe(0);
    await db.query("update job set due_at = now() where state = 'running'");
    await db.close();
  };

  const earlier = makeFile(EARLIER, 0);
  await callApi(portal.url, importUsers, { token, body: { ...target, csvData: earlier } });

  const check_id = randomUUID();
  const csvData = makeCodes(codes, INVALID_ROWS);
  const file = { productId: product_id, csvData, import_id: check_id, check: true };
  const upload = callApi(portal.url, importCoupons, { token, body: file }).catch(expectBrokenOff);
  const checked = await killDuring(check_id, ({ state }) => state === 'checked');
  await upload;
  expect(checked).toMatchObject({
    errors_count: INVALID_ROWS,
    preview: { total: codes + INVALID_ROWS, new: codes, invalid: INVALID_ROWS },
  });

  const import_id = randomUUID();
  const joined = all - EARLIER;
  const body = { ...target, csvData: makeFile(all, INVALID_ROWS), import_id, check: true };
  expect(await callApi(portal.url, importUsers, { token, body })).toMatchObject({
    preview: { total: all + INVALID_ROWS, invalid: INVALID_ROWS, joined, access_new: joined },
  });
  expect(await countMembers()).toBe(EARLIER);
  const start = { token, params: { id: import_id } };
  const started = callApi(portal.url, startImport, start).catch(expectBrokenOff);
  const done = await killDuring(import_id, ({ state }) => state === 'done');
  await started;
  expect(done).toMatchObject({
    errors_count: INVALID_ROWS,
    results: { joined, already: EARLIER, productAccess: joined, failures: INVALID_ROWS },
  });
  expect(await countMembers()).toBe(all);

  const download = () =>
    fetch(portal.url + exportUsers.path, { headers: { authorization: `Bearer ${token}` } });
  const reader = (await download()).body?.getReader();
  await reader?.read();
  await portal.kill();
  // The rest of the file does not come. A browser then reports that the download failed.
  await expect(readToEnd(reader)).rejects.toThrow();
  portal = await startPortal({ mailbox, place, env });
  const whole = await (await download()).text();
  expect(whole.trimEnd().split('\r\n')).toHaveLength(1 + all + 1);

  const { people } = await callApi(portal.url, getImportUndo, { token, params: { id: import_id } });
  expect(people).toBe(joined);
  const undo = { token, params: { id: import_id }, body: { expected: people } };
  const { job_id } = await callApi(portal.url, undoImport, undo);
  const undone = await killDuring(job_id, ({ state }) => state === 'done');
  expect(undone).toMatchObject({ results: { people: joined, grants: joined, left: joined } });
  expect(await read(import_id)).toMatchObject({ state: 'taken_back' });
  expect(await countMembers()).toBe(EARLIER);

  await portal.stop();
  const db = await openDatabase(place);
  onTestFinished(() => db.close());
  expect((await recountTally(db, new Date())).wrong).toBe(0);
  expect(await countLines(db)).toEqual({
    'export.users': 3,
    'import.undo': 1,
    'member.add': all,
    'member.remove': joined,
  });
  const { rows } = await db.query<{ given: number; open: number }>(
    'select count(*)::int as given, count(*) filter (where withdrawn_at is null)::int as open from access_grant where user_id is not null',
  );
  expect(rows).toEqual([{ given: all, open: EARLIER }]);
}

function makeCodes(count: number, invalid: number): string {
  const rows = Array.from({ length: count }, (_, n) => `CODE-${n}`);
  return `coupon_code\n${[...rows, ...Array(invalid).fill('X'.repeat(256))].join('\n')}\n`;
}

function makeFile(people: number, invalid: number): string {
  const rows = Array.from(
    { length: people },
    (_, n) => `crash-${n}@learner.example,Person ${n} ${FAMILY_NAME}`,
  );
  return `email,name\n${[...rows, ...Array(invalid).fill('no-address,Nobody')].join('\n')}\n`;
}

async function countLines(db: Database): Promise<Record<string, number>> {
  const { rows } = await db.query<{ action: string; count: number }>(
    `select action, count(*)::int as count from audit
     where action in ('export.users', 'import.undo', 'member.add', 'member.remove') group by action`,
  );
  return Object.fromEntries(rows.map(({ action, count }) => [action, count]));
}

/** Accepts only the errors with which `fetch` fails when the server is killed. */
function expectBrokenOff(error: unknown): void {
  expect(error).toBeInstanceOf(TypeError);
}

async function readToEnd(reader: ReadableStreamDefaultReader | undefined): Promise<void> {
  while (reader !== undefined && !(await reader.read()).done);
}
