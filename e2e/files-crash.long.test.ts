// Kills the portal with SIGKILL while it checks a file of codes, imports a file of people, exports people, and undoes the
// import. Tests that each job continues or fails visibly, and that nothing is lost, done twice or half done.
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
import { recountTally } from '../server/src/features/dashboard/tally.sql.ts';
import { startPostgres } from '../server/test/postgres.ts';
import { callApi, openAdmin, signIn } from './harness/api.ts';
import { openMailbox } from './harness/mailbox.ts';
import { ADMIN_EMAIL, makePlace, startPortal } from './harness/portal.ts';
import { waitForProgress } from './harness/progress.ts';

/** Numbers of rows. A check is much faster than an import, so the file to check is larger. */
type Size = { codes: number; people: number };
/** Number of people at the start of the file who have access and are members before the upload. */
const EARLIER = 100;
const INVALID_ROWS = 3;
// With these long names, an exported file is larger than the buffers of sockets, about 4 MB. So an export cannot end
// before the portal is killed, as long as nobody reads the response.
const FAMILY_NAME = 'Longname'.repeat(20);
/** The portal is killed when a job has done these shares of its rows; on PostgreSQL, at the first step that reaches them. */
const KILL_AT = [0.05, 0.2];

type ReadShare = () => Promise<number>;
/** Chooses the moment at which the portal is killed. */
type Gate = {
  /** Called before the job begins. `share`: see KILL_AT. */
  arm(share: number): Promise<void>;
  /** Resolves when the job has come as far as `share`. `readShare` reads the share of its rows that are done. */
  reach(share: number, readShare: ReadShare): Promise<void>;
  /**
   * Called after the kill and before the next start. `next` is the share of the next kill; undefined after the last
   * kill.
   */
  open(next: number | undefined): Promise<void>;
};

const NO_GATE: Gate = {
  arm: async () => {},
  reach: async (share, readShare) => {
    await waitForProgress(readShare, share);
    expect(await readShare(), 'the job ended before the crash').toBeLessThan(1);
  },
  open: async () => {},
};

// When a job has done the share of its rows in hold_at, its step waits before the commit while another session has this
// advisory lock. So the job cannot end before the test has noticed, however busy the machine is.
const LOCK_KEY = 314_159;
const HOLD = `
  create table hold_at (share float8 not null);
  create function hold_job() returns trigger language plpgsql as $$
  begin
    if new.rows_done >= (select min(share) from hold_at) * greatest(new.rows_total, 1) then
      perform pg_advisory_xact_lock_shared(${LOCK_KEY});
    end if;
    return new;
  end $$;
  create trigger hold_job before update of rows_done on bulk_job for each row execute function hold_job();`;
const WAITING = `select pid from pg_locks where locktype = 'advisory' and objid = ${LOCK_KEY} and not granted`;

/** Creates a gate in the database of a portal that has started. The end of the test removes the gate. */
async function makeGate(url: string): Promise<Gate> {
  const db = await openPostgres({ url, maxConnections: 2 });
  await db.execute(HOLD);
  const [begun, ended] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()];
  const holding = db.transaction(async (tx) => {
    await tx.execute('set local idle_in_transaction_session_timeout = 0');
    await tx.query('select pg_advisory_xact_lock($1)', [LOCK_KEY]);
    begun.resolve((await tx.query<{ pid: string }>('select pg_backend_pid() as pid')).rows[0]?.pid ?? '');
    await ended.promise;
  });
  const holder = await begun.promise;
  onTestFinished(async () => {
    ended.resolve();
    await holding;
    await db.close();
  });
  const arm = async (share: number) => {
    await db.query('insert into hold_at values ($1)', [share]);
  };
  return {
    arm,
    reach: () => expect.poll(async () => (await db.query(WAITING)).rowCount).toBe(1),
    open: async (next) => {
      // PostgreSQL would finish the statements of the killed portal, and such a statement may renew a lease.
      await db.query(`select pg_terminate_backend(pid) from (${WAITING}) waiting`);
      const others = `select from pg_stat_activity
        where backend_type = 'client backend' and pid not in (pg_backend_pid(), $1)`;
      await expect.poll(async () => (await db.query(others, [holder])).rowCount).toBe(0);
      await db.query('delete from hold_at');
      if (next !== undefined) await arm(next);
      // Otherwise the new process could wait two minutes for the leases of the killed one.
      await db.query("update job set due_at = now() where state = 'running'");
    },
  };
}

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

  /** Kills the portal at each share of KILL_AT, and waits until `isOver`. */
  const killDuring = async (id: string, isOver: (job: JobState) => boolean): Promise<JobState> => {
    const readShare = async () => {
      const job = await read(id).catch((error: Error) => {
        // The upload may still be on its way.
        if (error.message.includes(' 404 ')) return null;
        throw error;
      });
      if (job === null) return 0;
      return isOver(job) ? 1 : Math.min(job.rows_done / Math.max(job.rows_total, 1), 0.999_999);
    };
    for (const [kills, share] of KILL_AT.entries()) {
      await gate.reach(share, readShare);
      await portal.kill();
      await gate.open(KILL_AT[kills + 1]);
      portal = await startPortal({ mailbox, place, env });
    }
    // After a crash, a check begins again with the first row.
    await waitForProgress(readShare, 1);
    return read(id);
  };

  const earlier = makeFile(EARLIER, 0);
  await callApi(portal.url, importUsers, { token, body: { ...target, csvData: earlier } });

  const gate = env.DATABASE_URL === undefined ? NO_GATE : await makeGate(env.DATABASE_URL);
  const [first = 0] = KILL_AT;
  const check_id = randomUUID();
  const csvData = makeCodes(codes, INVALID_ROWS);
  const file = { productId: product_id, csvData, import_id: check_id, check: true };
  await gate.arm(first);
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
  await gate.arm(first);
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
  // The rest of the file does not arrive, so a browser reports that the download failed.
  await expect(readToEnd(reader)).rejects.toThrow();
  portal = await startPortal({ mailbox, place, env });
  const whole = await (await download()).text();
  expect(whole.trimEnd().split('\r\n')).toHaveLength(1 + all + 1);

  const { people } = await callApi(portal.url, getImportUndo, { token, params: { id: import_id } });
  expect(people).toBe(joined);
  const undo = { token, params: { id: import_id }, body: { expected: people } };
  await gate.arm(first);
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
