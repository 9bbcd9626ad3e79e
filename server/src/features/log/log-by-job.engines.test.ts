// Tests that what one job or one press did is one entry of the log (R-DAY-40).
import { randomUUID } from 'node:crypto';
import type { AuditLine, UserAct } from '@portal/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';
import { createStaffCalls } from '../../../test/staff-calls.ts';
import { createTestJobs, createUploadTools, TEST_IMPORT_TOOLS } from '../../../test/test-jobs.ts';
import { findJobState } from '../../bulk/bulk-jobs.sql.ts';
import { actOnUsers } from '../../bulk/people-acts.ts';
import { cancelImport, importCsv } from '../../bulk/uploads.ts';
import { retryJobs } from '../../jobs/change-jobs.ts';
import { createImportHandler } from '../../jobs/job-handlers.ts';
import { JOB_KINDS } from '../../jobs/job-kinds.ts';

const ACTOR = { actor: 'staff@example.org' };

let portal: TestApp;
let token: string;
let staff: ReturnType<typeof createStaffCalls>;
beforeAll(async () => {
  portal = await openTestApp();
  token = await portal.signInAdmin();
  staff = createStaffCalls(portal, token);
});
afterAll(() => portal.close());

let rounds = 0;
let cohort_id: string;
let product_id: string;
beforeEach(async () => {
  rounds += 1;
  cohort_id = await addCohort('Autumn');
  product_id = await staff.addProduct();
  // The event before the job or the press.
  await staff.post('/api/admin/notes', { product_id, text: `Before ${rounds}.` });
});

async function addCohort(name: string): Promise<string> {
  const { body } = await staff.post('/api/admin/cohorts', { name: `${name} ${rounds}` });
  return (body as { cohort_id: string }).cohort_id;
}
const emailsOf = (word: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${word}-${at}@group.example`);
const members = (way: string, body: object) =>
  staff.post(`/api/admin/cohorts/${cohort_id}/members${way}`, body);

async function read(query = '') {
  const { body, headers } = await portal.call('GET', `/api/admin/audit?limit=50${query}`, { token });
  return { lines: body as AuditLine[], headers };
}
/** Returns the entries since the note of this round, newest first. */
async function readEntries(query = ''): Promise<AuditLine[]> {
  const { lines } = await read(query);
  const before = lines.findIndex(({ detail }) => detail.text === `Before ${rounds}.`);
  expect(before).toBeGreaterThan(-1);
  return lines.slice(0, before);
}
const actionsOf = (lines: AuditLine[]) => lines.map(({ action }) => action);

/** Returns the audit lines of the group by action, with the summary. */
async function countLines(group_id: string | null): Promise<Record<string, number>> {
  const { rows } = await portal.db.query<{ action: string; n: number }>(
    'select action, count(*)::int as n from audit where group_id = $1 group by action order by action',
    [group_id],
  );
  return Object.fromEntries(rows.map(({ action, n }) => [action, n]));
}

/** Starts an act on `emails` whose process stops, or is killed, after `steps` steps. `finish` goes on elsewhere. */
async function startJoin(count: number, steps: number) {
  await portal.db.query(
    `insert into app_user (email, name) select 'r' || $1 || '-' || n || '@group.example', 'Round ' || $1
     from generate_series(1, $2::int) n`,
    [String(rounds), count],
  );
  let left = steps;
  const isStopping = () => {
    left -= 1;
    return left < 0;
  };
  const handler = (tools = TEST_IMPORT_TOOLS) => ({ import: createImportHandler(portal.db, tools) });
  const jobs = createTestJobs(portal.db, handler({ ...TEST_IMPORT_TOOLS, isStopping }));
  const order: UserAct = { filter: { q: `r${rounds}-` }, act: 'join', cohort_id, expected: count };
  const tools = { ...TEST_IMPORT_TOOLS, randomUuid: randomUUID, runJob: jobs.run };
  const id = await actOnUsers(portal.db, { ...ACTOR, order }, tools);
  const finish = async (seconds = 40) => {
    const now = () => new Date(Date.now() + seconds * 1_000);
    const later = createTestJobs(portal.db, handler(), { now });
    later.wake('import');
    await later.close();
  };
  return { id, finish };
}

describe('R-DAY-40: one press', () => {
  test('that adds, moves or removes several people is one entry; its lines are read by group', async () => {
    const emails = emailsOf(`press${rounds}`, 3);
    const to = await addCohort('Winter');
    await members('', { emails: [...emails.slice(0, 2), ...emails] });
    await members('/move', { emails, to });
    cohort_id = to;
    await members('/remove', { emails: emails.slice(0, 2) });
    const entries = (await readEntries()).filter(({ action }) => action !== 'cohort.create');
    expect(entries).toMatchObject([
      { action: 'member.remove', person: null, detail: { count: 2 } },
      { action: 'member.move', detail: { count: 3, cohort: [`Autumn ${rounds}`, `Winter ${rounds}`] } },
      { action: 'member.add', cohort: { name: `Autumn ${rounds}` }, detail: { count: 3, created: 3 } },
    ]);
    expect(new Set(entries.map(({ group_id }) => group_id)).size).toBe(3);
    const { lines } = await read(`&group_id=${entries[2]?.group_id}`);
    expect(actionsOf(lines)).toEqual([...Array(3).fill('member.add'), ...Array(3).fill('user.create')]);
    expect(lines.every(({ person, group_id }) => person && group_id === entries[2]?.group_id)).toBe(true);
    const first = await portal.call('GET', `/api/admin/audit?limit=4&group_id=${entries[2]?.group_id}`, {
      token,
    });
    const second = await read(`&group_id=${entries[2]?.group_id}&cursor=${first.headers['x-next-cursor']}`);
    expect([...(first.body as AuditLine[]), ...second.lines]).toEqual(lines);
    // The people who moved are one entry in both cohorts.
    expect(actionsOf((await read(`&cohort_id=${to}`)).lines)).toEqual([
      'member.remove',
      'member.arrive',
      'cohort.create',
    ]);
  });

  test('with one line has no group and no summary', async () => {
    const [known = '', late = '', ...others] = emailsOf(`one${rounds}`, 4);
    await members('', { emails: [known, ...others] });
    await staff.post('/api/admin/users/single', { email: late, name: 'Late', product_ids: [product_id] });
    const before = (await readEntries()).length;
    await members('', { emails: [known, late] });
    await members('/remove', { emails: [late, 'nobody@group.example'] });
    const act = { emails: [late], expected: 1 };
    await staff.post('/api/admin/users/act', { ...act, act: 'join', cohort_id });
    const lines = (await readEntries()).slice(0, -before);
    expect(actionsOf(lines)).toEqual(['member.add', 'member.remove', 'member.add']);
    expect(lines.every(({ group_id, person }) => group_id === null && person?.email === late)).toBe(true);
  });
});

test('R-DAY-41: after an import of 10,000 people the event before it is on the same page; the CSV has all lines', async () => {
  const people = 10_000;
  const rows = emailsOf(`import${rounds}`, people).map((email) => `${email},Amara`);
  const csvData = `email,name\n${rows.join('\n')}\n`;
  const { id } = await importCsv(
    portal.db,
    { kind: 'users', csvData, file_name: 'shop.csv', product_ids: [product_id], cohort_id, ...ACTOR },
    createUploadTools(portal.db),
  );
  const [done, start, ...rest] = await readEntries();
  expect(rest).toEqual([]);
  expect([done, start]).toMatchObject([
    { action: 'import.done', group_id: id, detail: { count: people, joined: people, file_name: 'shop.csv' } },
    { action: 'import.start', group_id: null },
  ]);
  expect(await countLines(id)).toEqual({
    ...{ 'grant.create': people, 'import.done': 1, 'member.add': people, 'user.create': people },
  });
  // The entry is among the entries of its kinds, of its actor and of its cohort.
  for (const query of [
    '&kind=member',
    '&kind=grant,note',
    `&actor=${ACTOR.actor}`,
    `&cohort_id=${cohort_id}`,
  ]) {
    const found = (await read(query)).lines.filter(({ group_id }) => group_id === id);
    expect(actionsOf(found), query).toEqual(['import.done']);
  }
  expect((await read('&kind=note')).lines[0]?.detail.text).toBe(`Before ${rounds}.`);
  // N-221: a person's log tells the same event about that person.
  const { lines } = await read(`&email=import${rounds}-7@group.example&kind=user,member,grant`);
  expect(lines.map(({ action, others }) => [action, others])).toEqual([
    ['grant.create', undefined],
    ['member.add', people - 1],
    ['user.create', people - 1],
  ]);
  const csv = await portal.app.inject({
    url: `/api/admin/audit.csv?cohort_id=${cohort_id}`,
    headers: { authorization: `Bearer ${token}` },
  });
  expect(csv.body.match(/,member\.add,/g)).toHaveLength(people);
  expect(csv.body.match(/,import\.done,/g)).toHaveLength(1);
});

describe('R-DAY-40: a job', () => {
  test('that still runs is no entry yet; a page that is turned meanwhile neither skips nor repeats an entry', async () => {
    const { id, finish } = await startJoin(2_500, 1);
    const note = (await read()).lines[0];
    expect(note?.detail.text).toBe(`Before ${rounds}.`);
    expect((await read(`&group_id=${id}`)).lines).toHaveLength(50);
    const person = `&email=r${rounds}-2500@group.example&kind=member`;
    expect((await read(person)).lines).toMatchObject([{ action: 'member.add', group_id: id }]);
    expect((await read(person)).lines[0]).not.toHaveProperty('others');
    const below = await read(`&cursor=${note?.id}`);
    await finish();
    expect(await read(`&cursor=${note?.id}`)).toMatchObject({ lines: below.lines });
    expect(await readEntries()).toMatchObject([
      { action: 'user.act', group_id: id, detail: { count: 2_500 } },
    ]);
    expect((await read(person)).lines).toMatchObject([{ action: 'member.add', others: 2_499 }]);
    expect(await countLines(id)).toEqual({ 'member.add': 2_500, 'user.act': 1 });
  });

  test('N-221: that is cancelled while it writes sums up exactly what was done', async () => {
    let cancelled: Promise<boolean> | null = null;
    const rows = emailsOf(`cancel${rounds}`, 30_000).map((email) => `${email},Amara`);
    const import_id = randomUUID();
    const tools = createUploadTools(portal.db, {
      ...TEST_IMPORT_TOOLS,
      pause: async () => {
        cancelled ??= cancelImport(portal.db, import_id, { ...ACTOR, now: () => new Date() });
      },
    });
    const csvData = `email,name\n${rows.join('\n')}\n`;
    await importCsv(
      portal.db,
      { kind: 'users', csvData, import_id, product_ids: [product_id], ...ACTOR },
      tools,
    );
    expect(await cancelled).toBe(true);
    const state = await findJobState(portal.db, import_id, 0);
    expect(state).toMatchObject({ state: 'cancelled' });
    const lines = await countLines(import_id);
    expect(lines['import.done']).toBe(1);
    expect(lines['user.create']).toBeGreaterThan(0);
    expect(lines['user.create']).toBeLessThan(30_000);
    const entries = await readEntries();
    expect(actionsOf(entries)).toEqual(['import.cancel', 'import.done', 'import.start']);
    expect(entries[1]?.detail).toMatchObject({ cancelled: true, count: lines['user.create'] });
  });

  test('that fails sums up what was done; after a retry, the rest is a group of its own', async () => {
    await portal.db.execute(`
      create or replace function refuse_poison() returns trigger language plpgsql as $$
      begin
        if exists (select from app_user where id = new.user_id and email = 'r${rounds}-1@group.example') then
          raise exception 'out of ink';
        end if;
        return new;
      end $$;
      create trigger poison before insert on cohort_member for each row execute function refuse_poison()`);
    onTestFinished(() => portal.db.execute('drop function if exists refuse_poison cascade'));
    const { id, finish } = await startJoin(1_500, 0);
    for (let tries = 1; tries <= JOB_KINDS.import.retrySeconds.length + 1; tries += 1)
      await finish(tries * 1_000);
    expect(await readEntries()).toMatchObject([
      { action: 'user.act', group_id: id, detail: { count: 1_000 } },
    ]);
    await portal.db.execute('drop function refuse_poison cascade');
    await retryJobs(portal.db, { kind: 'import', reason: 'out of ink' }, { now: new Date(), ...ACTOR });
    await finish(10_000);
    const entries = await readEntries();
    expect(entries).toMatchObject([
      { action: 'user.act', detail: { count: 500 } },
      { action: 'job.retry', group_id: null },
      { action: 'user.act', group_id: id, detail: { count: 1_000 } },
    ]);
    expect(await countLines(entries[0]?.group_id ?? null)).toEqual({ 'member.add': 500, 'user.act': 1 });
    expect(await countLines(id)).toEqual({ 'member.add': 1_000, 'user.act': 1 });
  });

  test('whose process is killed gets one summary from the process that goes on', async () => {
    const killed = { ...TEST_IMPORT_TOOLS, pause: () => new Promise(() => {}) };
    const rows = emailsOf(`killed${rounds}`, 12_000).map((email) => `${email},Amara`);
    const import_id = randomUUID();
    const csvData = `email,name\n${rows.join('\n')}\n`;
    const upload = { kind: 'users' as const, csvData, import_id, product_ids: [product_id], ...ACTOR };
    void importCsv(portal.db, upload, createUploadTools(portal.db, killed)).catch(() => {});
    await expect.poll(async () => (await countLines(import_id))['user.create'] ?? 0).toBeGreaterThan(0);
    const { finish } = await startJoin(0, 0);
    await finish(3_600);
    expect(await findJobState(portal.db, import_id, 0)).toMatchObject({ state: 'done' });
    expect(await countLines(import_id)).toMatchObject({ 'import.done': 1, 'user.create': 12_000 });
    const [done] = (await readEntries()).filter(({ action }) => action === 'import.done');
    expect(done).toMatchObject({ group_id: import_id, detail: { count: 12_000 } });
  });
});

describe('R-DAY-40: the log of a product', () => {
  const readProduct = async (more = '') => (await read(`&product_id=${product_id}${more}`)).lines;
  const give = (emails: string[], product_ids = [product_id]) =>
    staff.post('/api/admin/users/act', { emails, expected: emails.length, act: 'grant', product_ids });
  const addPeople = (emails: string[]) => members('', { emails });

  test('has one entry for what one press did, between the lines before and after; its lines are read by group', async () => {
    const emails = emailsOf(`given${rounds}`, 40);
    await addPeople(emails);
    await give(emails);
    await staff.post('/api/admin/notes', { product_id, text: 'After.' });
    const [after, given, before, ...rest] = await readProduct();
    expect(actionsOf(rest)).toEqual(['product.create']);
    expect([after?.detail.text, before?.detail.text]).toEqual(['After.', `Before ${rounds}.`]);
    expect(given).toMatchObject({ action: 'user.act', detail: { act: 'grant', count: 40 } });
    expect((await read(`&group_id=${given?.group_id}`)).lines).toHaveLength(40);
    expect(await readProduct('&kind=grant')).toEqual([given]);
    // Page by page, each entry stands on one page.
    const pages: AuditLine[] = [];
    for (let cursor: unknown = ''; cursor !== undefined; ) {
      const at = cursor === '' ? '' : `&cursor=${cursor}`;
      const url = `/api/admin/audit?limit=1&product_id=${product_id}${at}`;
      const { body, headers } = await portal.call('GET', url, { token });
      pages.push(...(body as AuditLine[]));
      cursor = headers['x-next-cursor'];
    }
    expect(pages).toEqual([after, given, before, ...rest]);
    const csv = await portal.app.inject({
      url: `/api/admin/audit.csv?product_id=${product_id}`,
      headers: { authorization: `Bearer ${token}` },
    });
    expect(csv.body.match(/,grant\.create,/g)).toHaveLength(40);
  });

  test('has the line itself if the job wrote only one about the product, and nothing of other products', async () => {
    const csvData = `name,url,description\n${['A', 'B', 'C'].map((name) => `${name} ${rounds},https://x.example,D`).join('\n')}\n`;
    await importCsv(
      portal.db,
      { kind: 'products', csvData, product_ids: [], ...ACTOR },
      createUploadTools(portal.db),
    );
    const { rows } = await portal.db.query<{ product_id: string; group_id: string }>(
      `select a.product_id, a.group_id from audit a join product p using (product_id)
       where a.action = 'product.create' and p.name = $1`,
      [`B ${rounds}`],
    );
    const { lines } = await read(`&product_id=${rows[0]?.product_id}`);
    expect(lines).toMatchObject([{ action: 'product.create', group_id: rows[0]?.group_id }]);
    const emails = emailsOf(`other${rounds}`, 3);
    await addPeople(emails);
    await give(emails, [await staff.addProduct()]);
    expect(actionsOf(await readProduct())).toEqual(['note.add', 'product.create']);
  });

  test('has an entry of two jobs at the same time each, and none of a job that still writes', async () => {
    const line = (group: string, summary = false) =>
      portal.db.query(
        `insert into audit (actor, action, product_id, group_id, summary_of)
         values ('portal', 'grant.create', case when $3 then null else $1::uuid end, $2, case when $3 then '{grant}'::text[] end)`,
        [product_id, group, summary],
      );
    const [one, other, open] = [randomUUID(), randomUUID(), randomUUID()];
    for (const group of [one, other, open, one, open, other, one]) await line(group);
    await line(other, true);
    await line(one, true);
    const groups = (await readProduct('&kind=grant')).map(({ group_id }) => group_id);
    expect(groups).toEqual([one, other]);
  });
});

test('R-TRAIL-04: a page looks at 5,000 entries, however many lines their groups have', async () => {
  await portal.db.query(
    `insert into audit (actor, action, group_id, summary_of)
     select 'portal', 'job.test', g.id, case when n = 0 then '{job}'::text[] end
     from (select gen_random_uuid() as id from generate_series(1, 3)) g, generate_series(0, 4000) n`,
  );
  const { lines, headers } = await read('&kind=note');
  expect(lines[0]?.detail.text).toBe(`Before ${rounds}.`);
  expect(headers).not.toHaveProperty('x-looked-until');
});

test('R-DAY-40: lines of the version before are entries, and a group cannot have two summaries', async () => {
  const add = (columns: string, values: string) =>
    portal.db.query(`insert into audit (actor, action${columns}) values ('portal', 'job.test'${values})`);
  await add('', '');
  expect((await readEntries())[0]).toMatchObject({ action: 'job.test', group_id: null });
  const group = randomUUID();
  await add(', group_id, summary_of', `, '${group}', '{job}'`);
  await expect(add(', group_id, summary_of', `, '${group}', '{job}'`)).rejects.toThrow(/audit_summary/);
});

test.each([
  [`group_id=${randomUUID()}`, 404, 'Group not found'],
  ['group_id=x', 404, 'Group not found'],
  [
    `group_id=${randomUUID()}&actor=portal`,
    400,
    'Choose group_id or one of email, product_id, coupon_id, cohort_id, batch_id and actor',
  ],
])('R-DAY-40: %s is refused: %i', async (query, status, message) => {
  const answer = await portal.call('GET', `/api/admin/audit?limit=9&${query}`, { token });
  expect(answer).toMatchObject({ status, body: { message } });
});
