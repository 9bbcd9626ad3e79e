// Tests the call that explains whether a person would get a code of a product. Also tests the verdicts, the cohorts
// and the similar addresses in the call that lists a person's products for staff.
import { randomUUID } from 'node:crypto';
import type { AccessExplained, getUserAccess, ReplyOf } from '@portal/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addLearner, addProduct, utcToday } from '../../../test/factories.ts';
import { addCohort, addGrant, redeemOn, STAFF } from '../../../test/lifecycle.ts';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';
import { inDays } from '../../../test/staff-calls.ts';

let portal: TestApp;
let support: string;
let owner: string;
beforeAll(async () => {
  portal = await openTestApp();
  support = await portal.signInAdmin('support@example.org', 'support');
  owner = await portal.signInAdmin('owner@example.org', 'owner');
});
afterAll(() => portal.close());

const pathOf = (email: string) => `/api/admin/user-access/${encodeURIComponent(email)}`;
const readWhy = (email: string, product_id: string, token = support) =>
  portal.call('GET', `${pathOf(email)}/why/${product_id}`, { token });
const readAccess = (email: string) => portal.call('GET', pathOf(email), { token: support });

describe('R-COHORT-17: the call', () => {
  test('returns the verdict, all grants for the product, the product and the person', async () => {
    const product = await addProduct(portal.db, { codes: 3 });
    const { product_id } = product;
    const learner = await addLearner(portal.db, []);
    const { email, user_id } = learner;
    const [cohort_id, archived] = [
      await addCohort(portal.db, [learner]),
      await addCohort(portal.db, [learner], { archived: true }),
    ];
    const grants = [
      await addGrant(portal.db, { cohort_id, product_id, ends_on: inDays(5) }),
      await addGrant(portal.db, { cohort_id: archived }),
      await addGrant(portal.db, { user_id, product_id, starts_on: inDays(3), purchase_id: '17' }),
      await addGrant(portal.db, { user_id, withdrawn_on: '2020-06-01' }),
    ];
    await addGrant(portal.db, { user_id, product_id: (await addProduct(portal.db)).product_id });
    const { rows } = await portal.db.query<{ cohort_id: string; name: string }>(
      'select cohort_id, name from cohort',
    );
    const nameOf = (id: string) => rows.find((row) => row.cohort_id === id)?.name;
    const grant = {
      starts_on: '2000-01-01',
      ends_on: null,
      granted_by: STAFF,
      granted_at: expect.stringMatching(/Z$/),
      withdrawn_at: null,
      all_products: false,
    };
    expect(await readWhy(email.toUpperCase(), product_id.toUpperCase())).toMatchObject({ status: 200 });
    const { body } = await readWhy(email, product_id);
    expect(body).toEqual({
      verdict: 'can_redeem',
      sentence: `Can redeem now, with cohort ${nameOf(cohort_id)}.`,
      parts: { source: 'cohort', cohort: { cohort_id, name: nameOf(cohort_id) } },
      grants: [
        {
          ...grant,
          id: grants[3],
          from: { kind: 'direct' },
          state: 'withdrawn',
          withdrawn_at: '2020-06-01T12:00:00.000Z',
          all_products: true,
        },
        {
          ...grant,
          id: grants[2],
          from: { kind: 'purchase', purchase_id: '17' },
          state: 'future',
          starts_on: inDays(3),
        },
        {
          ...grant,
          id: grants[1],
          from: { kind: 'cohort', cohort_id: archived, name: nameOf(archived) },
          state: 'archived',
          all_products: true,
        },
        {
          ...grant,
          id: grants[0],
          from: { kind: 'cohort', cohort_id, name: nameOf(cohort_id) },
          state: 'live',
          ends_on: inDays(5),
        },
      ],
      product: { status: 'live', opens_on: null, closes_on: null, left: 3 },
      code: null,
      person: { known: true, last_sign_in_at: null },
      similar: [],
    });
  });

  test.each(['support', 'owner'])('returns a hint of the code, never the code: %s', async (who) => {
    const product = await addProduct(portal.db, { codes: ['NEVER-SENT-1234'] });
    const learner = await addLearner(portal.db, [product]);
    await redeemOn(portal.db, utcToday(), learner, product);
    const token = who === 'owner' ? owner : support;
    const { body } = await readWhy(learner.email, product.product_id, token);
    expect(body).toMatchObject({
      verdict: 'holds_code',
      code: {
        id: expect.stringMatching(/^\d+$/),
        hint: '1234',
        state: 'held',
        assigned_at: expect.stringMatching(/Z$/),
        use_by: null,
        revoked_at: null,
      },
    });
    expect(JSON.stringify(body)).not.toContain('NEVER');
  });

  test('has no number of codes for a product with shared codes, and the time of the last sign-in', async () => {
    const product = await addProduct(portal.db, { codes: ['FOR-ALL-7777'], shared_coupon: true });
    const { email } = await addLearner(portal.db, [product]);
    await portal.signIn(email);
    const { body } = await readWhy(email, product.product_id);
    expect(body).toMatchObject({
      verdict: 'can_redeem',
      product: { left: null },
      person: { known: true, last_sign_in_at: expect.stringMatching(/Z$/) },
    });
  });

  test.each([randomUUID(), 'no-uuid', '1'])('is 404 for an unknown product: %s', async (product_id) => {
    const { email } = await addLearner(portal.db, []);
    for (const address of [email, 'nobody@example.org'])
      expect(await readWhy(address, product_id)).toMatchObject({
        status: 404,
        body: { code: 'product_not_found' },
      });
  });
});

describe('R-COHORT-18, N-55, N-66: an unknown address', () => {
  const addPeople = async (...emails: string[]) =>
    portal.db.query('insert into app_user (email) select unnest($1::text[])', [emails]);

  test('is a verdict of its own, with addresses that resemble it; user-access is 404 with the same ones', async () => {
    const { product_id } = await addProduct(portal.db);
    await addPeople(
      'j.lind@example.com',
      'j.lind+ai@example.org',
      'j.linda@example.org',
      'x.j.lind@example.org',
    );
    const similar = ['j.lind@example.com', 'j.lind+ai@example.org'];
    expect(await readWhy('J.Lind@mail.example', product_id)).toMatchObject({
      status: 200,
      body: {
        verdict: 'unknown_person',
        sentence: 'Nobody is known by this address.',
        parts: {},
        grants: [],
        product: { status: 'live', left: 0 },
        code: null,
        person: { known: false, last_sign_in_at: null },
        similar,
      },
    });
    expect(await readAccess('j.lind@mail.example')).toMatchObject({
      status: 404,
      body: { code: 'user_not_found', message: 'User not found', similar },
    });
    expect((await readAccess('j.lind+shop@mail.example')).body).toMatchObject({ similar });
    expect((await readAccess('j.lin@mail.example')).body).toMatchObject({ similar: [] });
  });

  test('has at most five', async () => {
    await addPeople(...Array.from({ length: 9 }, (_, n) => `many+${n}@example.org`), 'many@example.org');
    expect((await readAccess('many@mail.example')).body).toMatchObject({
      similar: ['many@example.org', ...[0, 1, 2, 3].map((n) => `many+${n}@example.org`)],
    });
  });

  test.each([
    ['+tag@mail.example', []],
    ['100%_@mail.example', ['100%_@example.org']],
    ['ünï+x@mail.example', ['ünï@example.org']],
  ])('%s', async (email, similar) => {
    if (similar.length > 0) await addPeople(...similar);
    await addPeople(`+other-${randomUUID()}@example.org`, `100a-${randomUUID()}@example.org`);
    expect((await readAccess(email)).body).toMatchObject({ similar });
  });
});

test('R-COHORT-16, N-64: user-access has cohorts, and of each product the state of access and the verdict', async () => {
  const learner = await addLearner(portal.db, []);
  const { user_id, email } = learner;
  const [cohort_id] = [
    await addCohort(portal.db, [learner]),
    await addCohort(portal.db, [learner], { archived: true }),
  ];
  const give = async (name: string, days: object, codes = 1) => {
    const product = await addProduct(portal.db, {
      name,
      codes: Array.from({ length: codes }, () => randomUUID()),
    });
    await addGrant(portal.db, { user_id, product_id: product.product_id, ...days });
    return product;
  };
  await give('A withdrawn', { withdrawn_on: '2020-06-01' });
  await give('B over', { ends_on: '2020-06-01' });
  await give('C later', { starts_on: inDays(1) });
  await give('D now', {});
  await give('E now, none left', {}, 0);
  const held = await give('F held', {});
  await redeemOn(portal.db, utcToday(), learner, held);
  await portal.db.query('delete from access_grant where product_id = $1', [held.product_id]);
  const { rows } = await portal.db.query<{ name: string }>('select name from cohort where cohort_id = $1', [
    cohort_id,
  ]);
  const { body } = (await readAccess(email)) as { body: ReplyOf<typeof getUserAccess> };
  expect(body.user).toEqual({
    email,
    name: learner.name,
    last_sign_in_at: null,
    cohorts: [{ cohort_id, name: rows[0]?.name }],
  });
  expect(body.products.map(({ name, access, why }) => [name, access, why.verdict])).toEqual([
    ['D now', 'live', 'can_redeem'],
    ['E now, none left', 'live', 'sold_out'],
    ['C later', 'future', 'future'],
    ['A withdrawn', 'over', 'withdrawn'],
    ['B over', 'over', 'over'],
    ['F held', 'none', 'holds_code'],
  ]);
  for (const { product_id, why } of body.products) {
    const { verdict, sentence, parts } = (await readWhy(email, product_id)).body as AccessExplained;
    expect({ verdict, sentence, parts }).toEqual(why);
  }
});
