// Tests bulk actions on all people of a filter, of a cohort, or of a list (R-IMP-31, R-COHORT-13).
import type { Product } from '@portal/contract';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { addCodes } from '../../test/factories.ts';
import { openTestApp, type TestApp } from '../../test/open-test-app.ts';
import { createStaffCalls, inDays } from '../../test/staff-calls.ts';
import { createTestJobs, TEST_IMPORT_TOOLS } from '../../test/test-jobs.ts';
import { getMemberTotal, recountTally } from '../features/dashboard/tally.sql.ts';
import { retryJobs } from '../jobs/change-jobs.ts';
import { createImportHandler } from '../jobs/job-handlers.ts';
import { JOB_KINDS } from '../jobs/job-kinds.ts';
import { findJobState } from './bulk-jobs.sql.ts';
import { actOnMembers, actOnUsers } from './people-acts.ts';
import { cancelImport } from './uploads.ts';

let portal: TestApp;
let staff: ReturnType<typeof createStaffCalls>;
beforeAll(async () => {
  portal = await openTestApp();
  staff = createStaffCalls(portal, await portal.signInAdmin());
});
afterAll(() => portal.close());

let cohort_id: string;
let other: string;
let rounds = 0;
beforeEach(async () => {
  rounds += 1;
  [cohort_id, other] = [await addCohort(`One ${rounds}`), await addCohort(`Two ${rounds}`)];
});

async function addCohort(name: string): Promise<string> {
  const { body } = await staff.post('/api/admin/cohorts', { name });
  return (body as { cohort_id: string }).cohort_id;
}
const act = (body: object) => staff.post('/api/admin/users/act', body);
const total = async (id: string) => (await getMemberTotal(portal.db, id)).total;
/** Adds people whose names begin with `word`. Returns their addresses. */
async function addPeople(word: string, count: number): Promise<string[]> {
  const { rows } = await portal.db.query<{ email: string }>(
    `insert into app_user (email, name) select lower($1) || '-' || n || '@act.example', $1 || ' Okafor' from generate_series(1, $2::int) n
     returning email`,
    [word, count],
  );
  return rows.map(({ email }) => email);
}
/** Reads the state of the job with the id in the response. */
async function readJob({ status, body }: { status: number; body: unknown }) {
  expect(status, JSON.stringify(body)).toBe(200);
  const { job_id } = body as { job_id: string };
  const state = (await staff.get(`/api/admin/imports/${job_id}`)).body as { id: string };
  expect(state.id).toBe(job_id);
  return state;
}
async function listActLines() {
  const { rows } = await portal.db.query<{ action: string; n: number; detail: Record<string, unknown> }>(
    "select action, cohort_id, detail from audit where action = 'user.act' and cohort_id = $1 order by id",
    [cohort_id],
  );
  return rows;
}

test('R-IMP-30, R-IMP-31: all people of a search join, get products, and leave; the log has a line for each person and one for an act on several', async () => {
  await addPeople('Zora', 3);
  await addPeople('Yuna', 2);
  const product_id = await staff.addProduct();
  const filter = { q: 'zora', role: 'user' };
  const join = { filter, act: 'join', cohort_id, expected: 3 };
  const joined = await readJob(await act(join));
  expect(joined).toMatchObject({
    ...{ kind: 'act', act: 'join', state: 'done', reason: null, created_by: 'staff@example.org' },
    ...{ rows_done: 3, rows_total: 3, results: { changed: 3, total: 3, full: 0 } },
  });
  expect(await readJob(await act(join))).toMatchObject({ results: { changed: 0, total: 3 } });
  const days = { starts_on: inDays(1), ends_on: inDays(9) };
  const grant = { filter: { cohort_id }, act: 'grant', product_ids: [product_id], ...days, expected: 3 };
  expect(await readJob(await act(grant))).toMatchObject({ act: 'grant', results: { changed: 3, total: 3 } });
  expect(await readJob(await act(grant))).toMatchObject({ results: { changed: 0, total: 3 } });
  expect((await staff.readAccess('zora-1@act.example'))[0]).toMatchObject({ product_id, grants: [days] });
  expect(await total(cohort_id)).toBe(3);
  const leave = { filter: { cohort_id, q: 'zora-1' }, act: 'leave', cohort_id, expected: 1 };
  expect(await readJob(await act(leave))).toMatchObject({ act: 'leave', results: { changed: 1, total: 1 } });
  expect(await total(cohort_id)).toBe(2);
  const import_id = joined.id;
  expect(await listActLines()).toEqual([
    expect.objectContaining({ detail: { import_id, act: 'join', filter, count: 3 } }),
    expect.objectContaining({ detail: expect.objectContaining({ act: 'join', count: 0 }) }),
  ]);
  const { rows } = await portal.db.query(
    `select count(*)::int as n, min(actor) as actor from audit where action = 'member.add' and detail ->> 'import_id' = $1`,
    [import_id],
  );
  expect(rows).toEqual([{ n: 3, actor: 'staff@example.org' }]);
  const { rows: granted } = await portal.db.query(
    `select count(*)::int as n from audit where action = 'grant.create' and product_id = $1`,
    [product_id],
  );
  expect(granted).toEqual([{ n: 3 }]);
  const imports = (await staff.get('/api/admin/imports')).body as { id: string }[];
  expect(imports.map(({ id }) => id)).not.toContain(import_id);
  expect((await staff.get(`/api/admin/imports/${import_id}/errors.csv`)).status).toBe(404);
});

test('C-6: more people than expected are refused with their exact number, also more than a search counts', async () => {
  const emails = await addPeople('Xara', 1_200);
  for (const [body, count] of [
    [{ filter: { q: 'xara' } }, 1_200],
    [{ emails: [...emails.slice(0, 2), 'nobody@act.example'] }, 2],
  ] as const) {
    const refused = await act({ ...body, act: 'join', cohort_id, expected: count - 1 });
    expect(refused).toMatchObject({ status: 409, body: { code: 'count_changed', count } });
  }
  expect(await total(cohort_id)).toBe(0);
  expect(
    await readJob(await act({ filter: { q: 'xara' }, act: 'join', cohort_id, expected: 2_000 })),
  ).toMatchObject({
    results: { changed: 1_200, total: 1_200 },
    rows_total: 1_200,
  });
  expect((await recountTally(portal.db, new Date())).wrong).toBe(0);
});

test('a list of addresses: unknown ones are ignored, and so are repeats', async () => {
  const [email] = await addPeople('Wim', 2);
  const emails = [email, ` ${email?.toUpperCase()}`, 'nobody@act.example'];
  expect(await readJob(await act({ emails, act: 'join', cohort_id, expected: 1 }))).toMatchObject({
    results: { changed: 1, total: 1 },
  });
});

test('R-COHORT-13: all members leave, or move to another cohort', async () => {
  await addPeople('Vera', 5);
  await act({ filter: { q: 'vera' }, act: 'join', cohort_id, expected: 5 });
  const send = (verb: string, expected: number) =>
    staff.post(`/api/admin/cohorts/${cohort_id}/members/${verb}`, { emails: 'all', to: other, expected });
  for (const verb of ['remove', 'move'])
    expect(await send(verb, 4)).toMatchObject({ status: 409, body: { code: 'count_changed', count: 5 } });
  expect(await readJob(await send('move', 5))).toMatchObject({
    act: 'move',
    results: { changed: 5, total: 5 },
  });
  expect([await total(cohort_id), await total(other)]).toEqual([0, 5]);
  cohort_id = other;
  expect(await readJob(await send('remove', 9))).toMatchObject({ act: 'leave', results: { changed: 5 } });
  expect(await total(other)).toBe(0);
  expect(await send('move', 9)).toMatchObject({
    status: 400,
    body: { message: 'to must be another cohort' },
  });
});

test('people in 50 cohorts do not join; the others do', async () => {
  await addPeople('Ulla', 3);
  await portal.db.query(
    `with added as (
       insert into cohort (name, created_by) select gen_random_uuid(), 'x' from generate_series(1, 50) returning cohort_id
     )
     insert into cohort_member (cohort_id, user_id, joined_by)
     select cohort_id, u.id, 'x' from added, app_user u where email = 'ulla-2@act.example'`,
  );
  expect(
    await readJob(await act({ filter: { q: 'ulla' }, act: 'join', cohort_id, expected: 3 })),
  ).toMatchObject({
    results: { changed: 2, total: 3, full: 1 },
  });
  // Two of the people are members already, and the third cannot join.
  const again = { filter: { q: 'ulla' }, act: 'join', cohort_id, expected: 3 };
  expect(await readJob(await act(again))).toMatchObject({ results: { changed: 0, total: 3, full: 1 } });
});

test('R-COHORT-22: the members whom a search finds leave or move; the others stay', async () => {
  await addPeople('Tilda', 3);
  await addPeople('Sunniva', 2);
  for (const q of ['tilda', 'sunniva']) await act({ filter: { q }, act: 'join', cohort_id, expected: 9 });
  const send = (verb: string, body: object) =>
    staff.post(`/api/admin/cohorts/${cohort_id}/members/${verb}`, { emails: 'all', to: other, ...body });
  expect(await send('move', { q: 'tilda', expected: 2 })).toMatchObject({ status: 409, body: { count: 3 } });
  expect(await readJob(await send('move', { q: 'tilda', expected: 3 }))).toMatchObject({
    results: { changed: 3, total: 3 },
  });
  expect([await total(cohort_id), await total(other)]).toEqual([2, 3]);
  expect(await readJob(await send('remove', { q: 'sunniva-2', expected: 1 }))).toMatchObject({
    results: { changed: 1 },
  });
  expect(await total(cohort_id)).toBe(1);
  expect(await send('remove', { emails: ['sunniva-1@act.example'], q: 'sunniva' })).toMatchObject({
    status: 400,
    body: { message: 'q goes with emails "all" only' },
  });
});

test('R-COHORT-22, C-6: the people of an act are counted exactly, with those who hold a code of the cohort', async () => {
  const emails = await addPeople('Runa', 1_200);
  const [product_id, elsewhere] = [await staff.addProduct(), await staff.addProduct()];
  await act({ filter: { q: 'runa' }, act: 'join', cohort_id, expected: 1_200 });
  await staff.post('/api/admin/grants', { cohort_id, product_ids: [product_id] });
  // The first person holds a code of the cohort's product, the second a code of another product, the third a revoked
  // code. The fourth holds a code of the cohort's product, but is not a member.
  for (const [at, product] of [product_id, elsewhere, product_id, product_id].entries()) {
    await addCodes(portal.db, { product_id: product, shared_coupon: false } as Product, [`RUNA-${at}`]);
    await portal.db.query(
      `update coupon set holder = (select id from app_user where email = $2), assigned_at = now(), assigned_by = 'learner',
         is_current = true
       where coupon_code = $1`,
      [`RUNA-${at}`, emails[at]],
    );
  }
  await portal.db.query(
    "update coupon set revoked_at = now(), revoked_by = 'x', revoke_reason = 'test' where coupon_code = 'RUNA-2'",
  );
  await staff.post(`/api/admin/cohorts/${cohort_id}/members/remove`, { emails: [emails[3]] });
  const count = (body: object) => staff.post('/api/admin/users/count', body);
  for (const [body, reply] of [
    [{ filter: { q: 'runa' } }, { people: 1_200, holding: null }],
    [
      { filter: { q: 'runa', cohort_id }, cohort_id },
      { people: 1_199, holding: 1 },
    ],
    [
      { filter: { cohort_id, role: 'user' }, cohort_id },
      { people: 1_199, holding: 1 },
    ],
    [
      { emails: emails.slice(0, 4), cohort_id },
      { people: 4, holding: 1 },
    ],
    [
      { emails: [...emails.slice(1, 3), 'nobody@act.example'], cohort_id },
      { people: 2, holding: 0 },
    ],
  ] as const)
    expect(await count(body)).toMatchObject({ status: 200, body: reply });
  expect(await count({ filter: {}, emails: ['a@b.example'] })).toMatchObject({ status: 400 });
  expect(await count({ filter: {}, cohort_id: 'none' })).toMatchObject({
    status: 404,
    body: { code: 'cohort_not_found' },
  });
});

test('C-12: wrong fields are refused, also misspelt ones of the filter', async () => {
  const join = { filter: {}, act: 'join', cohort_id, expected: 1_000_000 };
  const message = (text: unknown) => ({ status: 400, body: { code: 'invalid_request', message: text } });
  for (const [body, text] of [
    [{ filter: { cohort: cohort_id } }, expect.stringMatching(/filter|Unrecognized/)],
    [{ filter: undefined }, 'Name either filter or emails'],
    [{ emails: ['a@b.example'] }, 'Name either filter or emails'],
    [{ cohort_id: undefined }, 'cohort_id is required'],
    [{ act: 'grant' }, 'product_ids must name at least one product'],
    [{ act: 'move' }, 'act must be join, leave or grant'],
    [{ expected: undefined }, 'expected is required'],
    [
      { act: 'grant', product_ids: ['x'], starts_on: inDays(1), ends_on: inDays(0) },
      'ends_on must not be before starts_on',
    ],
  ] as const)
    expect(await act({ ...join, ...body }), JSON.stringify(body)).toMatchObject(message(text));
  const notFound = { status: 404, body: { code: 'cohort_not_found' } };
  expect(await act({ ...join, cohort_id: 'none' })).toMatchObject(notFound);
  expect(await act({ ...join, filter: { cohort_id: 'none' } })).toMatchObject(notFound);
  expect(await act({ ...join, act: 'grant', product_ids: ['none'] })).toMatchObject({
    status: 404,
    body: { code: 'product_not_found' },
  });
  expect(await total(cohort_id)).toBe(0);
});

const ACTOR = { actor: 'staff@example.org' };
/** Returns tools whose job stops after `steps` steps. `finish` then continues the job, as another process would. */
function createStoppingTools(steps: number) {
  let left = steps;
  const stopping = {
    ...TEST_IMPORT_TOOLS,
    isStopping: () => {
      left -= 1;
      return left < 0;
    },
  };
  const jobs = createTestJobs(portal.db, { import: createImportHandler(portal.db, stopping) });
  let ids = 0;
  const tools = {
    ...{ now: TEST_IMPORT_TOOLS.now, dayOf: TEST_IMPORT_TOOLS.dayOf, runJob: jobs.run },
    randomUuid: () => {
      ids += 1;
      return `00000000-0000-4000-8000-${String(rounds * 100 + ids).padStart(12, '0')}`;
    },
  };
  const finish = async (seconds = 40) => {
    const now = () => new Date(Date.now() + seconds * 1_000);
    const later = createTestJobs(
      portal.db,
      { import: createImportHandler(portal.db, TEST_IMPORT_TOOLS) },
      { now },
    );
    later.wake('import');
    await later.close();
  };
  return { tools, finish };
}

test('an act that is interrupted goes on after its last step', async () => {
  await addPeople('Tove', 3_500);
  const { tools, finish } = createStoppingTools(2);
  const order = { filter: { q: 'tove' }, act: 'join' as const, cohort_id, expected: 3_500 };
  const id = await actOnUsers(portal.db, { ...ACTOR, order }, tools);
  expect(await findJobState(portal.db, id, 0)).toMatchObject({
    state: 'running',
    rows_done: 2_000,
    results: null,
  });
  expect(await total(cohort_id)).toBe(2_000);
  expect(await listActLines()).toEqual([]);
  await finish();
  expect(await findJobState(portal.db, id, 0)).toMatchObject({
    state: 'done',
    results: { changed: 3_500, total: 3_500 },
  });
  expect(await total(cohort_id)).toBe(3_500);
  expect(await listActLines()).toMatchObject([{ detail: { count: 3_500 } }]);
  // All members leave, although the job needs several steps and each step makes the list of members shorter.
  const leaving = createStoppingTools(1);
  const emptied = await actOnMembers(
    portal.db,
    { ...ACTOR, cohort_id, to: other, expected: 3_500 },
    { ...leaving.tools, randomUuid: () => '00000000-0000-4000-8000-00000000aaaa' },
  );
  expect([await total(cohort_id), await total(other)]).toEqual([2_500, 1_000]);
  await leaving.finish();
  expect(await findJobState(portal.db, emptied, 0)).toMatchObject({
    state: 'done',
    results: { changed: 3_500 },
  });
  expect([await total(cohort_id), await total(other)]).toEqual([0, 3_500]);
  expect((await recountTally(portal.db, new Date())).wrong).toBe(0);
});

test('an act whose process is killed is continued by another process', async () => {
  await addPeople('Olga', 2_500);
  // Simulates a process that is killed between two steps: its job never ends, and keeps its lease for a while.
  const killed = { ...TEST_IMPORT_TOOLS, pause: () => new Promise(() => {}) };
  const jobs = createTestJobs(portal.db, { import: createImportHandler(portal.db, killed) });
  const { tools, finish } = createStoppingTools(0);
  const order = { filter: { q: 'olga' }, act: 'join' as const, cohort_id, expected: 2_500 };
  const id = tools.randomUuid();
  void actOnUsers(portal.db, { ...ACTOR, order }, { ...tools, randomUuid: () => id, runJob: jobs.run }).catch(
    () => {},
  );
  await expect.poll(() => total(cohort_id)).toBe(1_000);
  await finish();
  expect(await findJobState(portal.db, id, 0)).toMatchObject({
    state: 'done',
    results: { changed: 2_500, total: 2_500 },
  });
  expect(await listActLines()).toMatchObject([{ detail: { count: 2_500 } }]);
});

test('an act that fails says why, keeps what is done, and can be tried again', async () => {
  const emails = await addPeople('Nils', 1_500);
  // The second step always fails: it contains the oldest person.
  await portal.db.execute(`
    create function refuse_poison() returns trigger language plpgsql as $$
    begin
      if exists (select from app_user where id = new.user_id and email = '${emails[0]}') then
        raise exception 'out of ink';
      end if;
      return new;
    end $$;
    create trigger poison before insert on cohort_member for each row execute function refuse_poison()`);
  const { tools, finish } = createStoppingTools(0);
  const order = { filter: { q: 'nils' }, act: 'join' as const, cohort_id, expected: 1_500 };
  const id = await actOnUsers(portal.db, { ...ACTOR, order }, tools);
  for (let tries = 1; tries <= JOB_KINDS.import.retrySeconds.length + 1; tries += 1)
    await finish(tries * 1_000);
  expect(await findJobState(portal.db, id, 0)).toMatchObject({
    state: 'failed',
    reason: 'out of ink',
    results: { changed: 1_000, total: 1_000 },
  });
  expect(await listActLines()).toMatchObject([{ detail: { count: 1_000 } }]);
  await portal.db.execute('drop function refuse_poison cascade');
  await retryJobs(portal.db, { kind: 'import', reason: 'out of ink' }, { now: tools.now(), ...ACTOR });
  await finish(10_000);
  expect(await findJobState(portal.db, id, 0)).toMatchObject({ state: 'done', results: { changed: 1_500 } });
  // The second audit line counts only the people whom the first line did not count.
  expect(await listActLines()).toMatchObject([{ detail: { count: 1_000 } }, { detail: { count: 500 } }]);
});

test('the set is fixed at the start: somebody who was created before the first step is not changed', async () => {
  await addPeople('Rune', 3);
  const { tools, finish } = createStoppingTools(0);
  const order = { filter: { q: 'rune' }, act: 'join' as const, cohort_id, expected: 3 };
  const id = await actOnUsers(portal.db, { ...ACTOR, order }, tools);
  await addPeople('Runeson', 2);
  await finish();
  expect(await findJobState(portal.db, id, 0)).toMatchObject({ results: { changed: 3, total: 3 } });
  expect(await total(cohort_id)).toBe(3);
});

test('a cancelled act keeps what is done, and the log counts it', async () => {
  await addPeople('Siri', 2_500);
  const { tools, finish } = createStoppingTools(1);
  const order = { filter: { q: 'siri' }, act: 'join' as const, cohort_id, expected: 2_500 };
  const id = await actOnUsers(portal.db, { ...ACTOR, order }, tools);
  expect(await cancelImport(portal.db, id, { ...ACTOR, now: tools.now })).toBe(true);
  await finish();
  expect(await findJobState(portal.db, id, 0)).toMatchObject({
    state: 'cancelled',
    results: { changed: 1_000, total: 1_000 },
  });
  expect(await total(cohort_id)).toBe(1_000);
  expect(await listActLines()).toMatchObject([{ detail: { count: 1_000 } }]);
});
