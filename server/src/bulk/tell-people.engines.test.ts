// Tests actions on many people that leave out the team, and the mails about what the people got (R-DAY-36, N-215).
import { randomUUID } from 'node:crypto';
import type { PeopleActState } from '@portal/contract';
import { describe, expect, test } from 'vitest';
import { addProduct } from '../../test/factories.ts';
import { keepPeople } from '../../test/keep-people.ts';

const { portal, smtp, send, post, readRaw, tryAgain } = keepPeople();
const TEAM = ['owner@example.org', 'manager@example.org', 'support@example.org', 'owner2@example.org'];

/** Adds people whom the search `word` finds. Returns their addresses. */
async function addPeople(word: string, count: number): Promise<string[]> {
  const { rows } = await portal.db.query<{ email: string }>(
    `insert into app_user (email, name) select $1 || n || '@learner.example', $1 from generate_series(1, $2::int) n
     returning email`,
    [word, count],
  );
  return rows.map(({ email }) => email);
}
const newWord = () => `w${randomUUID().slice(0, 8)}`;
const newProduct = async (more: object = {}) =>
  (await addProduct(portal.db, { name: `Product ${randomUUID()}`, ...more })).product_id;
const readState = async (id: string) =>
  (await send('GET', `/imports/${id}`, undefined, 'manager')).body as unknown as PeopleActState;
async function act(body: object): Promise<PeopleActState> {
  const reply = await post('/users/act', { ...body }, 'manager');
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return readState(String(reply.body.job_id));
}
const tell = (id: string, role = 'manager') => post(`/imports/${id}/tell`, undefined, role);
async function countMailJobs(emails: readonly string[]): Promise<number> {
  const { rows } = await portal.db.query<{ count: number }>(
    "select count(*)::int as count from job where kind = 'ready-mail' and data ->> 'about' = any($1::text[])",
    [emails],
  );
  return rows[0]?.count ?? 0;
}
async function addCohort(product_ids: string[]): Promise<string> {
  const { body } = await post('/cohorts', { name: randomUUID(), note: null, product_ids }, 'manager');
  return String(body.cohort_id);
}

describe('R-DAY-36, N-215: members of the team are left out', () => {
  test('of addresses and of filters, unless `staff` is true; users/count says how many they are', async () => {
    const product_id = await newProduct();
    const emails = [...(await addPeople(newWord(), 2)), ...TEAM];
    const count = async (body: object) => (await post('/users/count', { ...body }, 'manager')).body;
    expect(await count({ emails })).toEqual({ people: 6, holding: null, staff: 4 });
    const cohort_id = await addCohort([product_id]);
    const all = await act({ emails, act: 'join', cohort_id, expected: 6, staff: true });
    expect(all.results).toEqual({ changed: 6, total: 6, full: 0, staff: 0 });
    const filter = { cohort_id };
    expect(await count({ filter })).toEqual({ people: 6, holding: null, staff: 4 });
    expect(await count({ filter: { ...filter, role: 'user' } })).toMatchObject({ people: 2, staff: 0 });
    expect(await count({ filter: { ...filter, role: 'admin' } })).toMatchObject({ people: 4, staff: 4 });

    const given = { act: 'grant', product_ids: [await newProduct()] };
    // The number that staff confirm does not count the team.
    for (const whom of [{ emails }, { filter }]) {
      const results = { changed: 'emails' in whom ? 2 : 0, total: 2, full: 0, staff: 4 };
      expect((await act({ ...whom, ...given, expected: 2 })).results).toEqual(results);
    }
    const onlyStaff = await act({ filter: { ...filter, role: 'admin' }, ...given, expected: 4 });
    expect(onlyStaff).toMatchObject({ state: 'done', results: { changed: 0, total: 0, staff: 4 } });
    const withStaff = await act({ filter, ...given, expected: 6, staff: true });
    expect(withStaff.results).toEqual({ changed: 4, total: 6, full: 0, staff: 0 });
    const refused = await post('/users/act', { filter, ...given, expected: 5, staff: true }, 'manager');
    expect(refused).toMatchObject({ status: 409, body: { code: 'count_changed', count: 6 } });
    const leave = { emails, act: 'leave', cohort_id };
    expect((await act({ ...leave, expected: 2 })).results).toMatchObject({ changed: 2, staff: 4 });
  });

  test('a wrong `staff` or `tell` is a 400 that names it', async () => {
    const body = { filter: {}, act: 'grant', product_ids: [randomUUID()], expected: 1 };
    for (const [more, message] of [
      [{ staff: 'yes' }, 'staff must be true or false'],
      [{ tell: 1 }, 'tell must be true or false'],
      [{ act: 'leave', cohort_id: randomUUID(), tell: true }, 'tell goes with join and grant only'],
    ] as const)
      expect(await post('/users/act', { ...body, ...more }, 'manager')).toMatchObject({
        status: 400,
        body: { message },
      });
  });
});

describe('R-DAY-36, N-215: people are told', () => {
  test('at once with `tell`, if they got a product that they did not have', async () => {
    const [one, two] = [await newProduct(), await newProduct()];
    const emails = await addPeople(newWord(), 3);
    const had = await act({ emails: emails.slice(0, 1), act: 'grant', product_ids: [one], expected: 1 });
    expect(had).toMatchObject({ untold: 1 });
    expect(had.mails).toBeUndefined();
    const given = await act({ emails, act: 'grant', product_ids: [one], expected: 3, tell: true });
    expect(given).toMatchObject({ untold: 0, mails: { queued: 2, sent: 0, failed: 0, cancelled: 0 } });
    expect(await countMailJobs(emails)).toBe(2);

    const others = await addPeople(newWord(), 2);
    const cohort_id = await addCohort([one, two]);
    const joined = await act({ emails: others, act: 'join', cohort_id, expected: 2, tell: true });
    expect(joined).toMatchObject({ mails: { queued: 2 } });
    await tryAgain();
    await expect.poll(() => readRaw(others[0] ?? '')).toContain('Subject: Your benefits are ready');
    await expect.poll(async () => (await readState(joined.id)).mails).toMatchObject({ queued: 0, sent: 2 });
  });

  test('afterwards, once: also if the button is pressed twice, or from two tabs', async () => {
    const [one, two] = [await newProduct(), await newProduct()];
    const emails = await addPeople(newWord(), 3);
    const cohort_id = await addCohort([one, two]);
    const joined = await act({ emails, act: 'join', cohort_id, expected: 3 });
    expect(joined).toMatchObject({ untold: 3 });
    expect(joined.mails).toBeUndefined();
    expect(await countMailJobs(emails)).toBe(0);

    const replies = await Promise.all([tell(joined.id), tell(joined.id)]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(await tell(joined.id)).toMatchObject({
      status: 200,
      body: { id: joined.id, kind: 'act', untold: 0, mails: { queued: 3 } },
    });
    expect(await countMailJobs(emails)).toBe(3);
    const { rows } = await portal.db.query(
      "select actor, cohort_id, detail from audit where action = 'import.tell' and detail ->> 'import_id' = $1",
      [joined.id],
    );
    expect(rows).toEqual([
      { actor: 'manager@example.org', cohort_id, detail: { import_id: joined.id, count: 3 } },
    ]);
    await tryAgain();
    for (const email of emails)
      await expect.poll(() => smtp.mails.filter(({ to }) => to === email)).toHaveLength(1);
    await expect.poll(async () => (await readState(joined.id)).mails).toMatchObject({ queued: 0, sent: 3 });
    expect(await tell(joined.id)).toMatchObject({ body: { mails: { sent: 3 } } });
    expect(await countMailJobs(emails)).toBe(0);
  });

  test('with one mail, if the products of a cohort began on several days before', async () => {
    const products = [await newProduct(), await newProduct()];
    const emails = await addPeople(newWord(), 1);
    const cohort_id = await addCohort(products);
    const joined = await act({ emails, act: 'join', cohort_id, expected: 1 });
    await portal.db.query(
      `with first as (
         update ready_notice set due_on = '2020-01-01', product_ids = product_ids[1:1]
         where import_id = $1 returning user_id, import_id
       )
       insert into ready_notice (user_id, product_ids, due_on, import_id, language, state)
       select user_id, $2::uuid[], '2020-02-01', import_id, 'en', 'held' from first`,
      [joined.id, products],
    );
    expect(await tell(joined.id)).toMatchObject({ body: { untold: 0, mails: { queued: 1 } } });
    expect(await countMailJobs(emails)).toBe(1);
  });

  test('not of another job, and only by managers', async () => {
    const act1 = await act({
      filter: { q: newWord() },
      act: 'grant',
      product_ids: [await newProduct()],
      expected: 0,
    });
    expect(await tell(act1.id)).toMatchObject({ status: 200, body: { untold: 0 } });
    expect(await tell(act1.id, 'support')).toMatchObject({ status: 403 });
    expect(await tell(randomUUID())).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await tell('x')).toMatchObject({ status: 404 });
    const csvData = `email,name\n${newWord()}@learner.example,Ada\n`;
    const product_ids = [await newProduct()];
    const { body } = await post('/users/bulk', { csvData, product_ids }, 'manager');
    expect(await tell(String(body.import_id))).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
    await portal.db.query("update bulk_job set state = 'running', source = '' where id = $1", [act1.id]);
    expect(await tell(act1.id)).toMatchObject({ status: 409, body: { code: 'import_running' } });
    await portal.db.query("update bulk_job set state = 'done', source = null where id = $1", [act1.id]);
  });
});
