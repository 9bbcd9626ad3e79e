// Tests the search of the staff pages: what each role finds, that a code is found only by its whole text, and that no
// response contains a code.
import { randomUUID } from 'node:crypto';
import { type Found, TEAM_ROLES, type TeamRole } from '@portal/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addLearner, addProduct } from '../../../test/factories.ts';
import { REDEEM_TOOLS } from '../../../test/fill-database.ts';
import { fuzzText } from '../../../test/fuzz-values.ts';
import { openTestApp, type TestApp } from '../../../test/open-test-app.ts';
import { redeemCoupon } from '../redeem/redeem.ts';

const STAFF = TEAM_ROLES.filter((role) => role !== 'viewer');
const NOTHING = { people: [], code: null, products: [] };

let portal: TestApp;
const tokens = {} as Record<TeamRole, string>;
beforeAll(async () => {
  portal = await openTestApp();
  for (const role of TEAM_ROLES) tokens[role] = await portal.signInAdmin(`${role}@provider.example`, role);
});
afterAll(() => portal.close());

const ask = (q: string, who: TeamRole = 'owner') =>
  portal.call('GET', `/api/admin/find?q=${encodeURIComponent(q)}`, { token: tokens[who] });
async function find(q: string, who?: TeamRole): Promise<Found> {
  const { status, body } = await ask(q, who);
  expect(status).toBe(200);
  return body as Found;
}

/** Adds a product. A learner with each of the addresses has redeemed a code of it. */
async function addHeld(name: string, codes: string[], emails: string[], shared_coupon = false) {
  const product = await addProduct(portal.db, { name, codes, shared_coupon });
  for (const email of emails) {
    const caller = await addLearner(portal.db, [product], email);
    await redeemCoupon(portal.db, { caller, productId: product.product_id }, REDEEM_TOOLS);
  }
  return { product_id: product.product_id, name };
}

const personOf = async (email: string) =>
  (
    await portal.db.query('select user_id::text as user_id, email, name from app_user where email = $1', [
      email,
    ])
  ).rows[0];

async function act(code: string, verb: 'revoke' | 'void', body: unknown): Promise<void> {
  const id = (await find(code)).code?.id;
  const { status } = await portal.call('POST', `/api/admin/coupons/${id}/${verb}`, {
    token: tokens.owner,
    body,
  });
  expect(status).toBe(200);
}

describe('R-FIND-03: people and products', () => {
  test('are found by the beginning of the address or of the name, and of a word of the name, at most five each', async () => {
    for (let number = 7; number > 0; number -= 1) {
      await addLearner(portal.db, [], `finda-${number}@example.org`);
      await addProduct(portal.db, { name: `Findable ${number}` });
    }
    const named = await addProduct(portal.db, { name: 'Our Findable', url: 'ours.example' });
    const { people, products } = await find(' FINDA');
    expect(people.map(({ email }) => email)).toEqual(
      [1, 2, 3, 4, 5].map((number) => `finda-${number}@example.org`),
    );
    const person = await personOf('finda-1@example.org');
    expect(people[0]).toEqual({ ...person, mails_refused: false });
    await portal.db.query('update app_user set mail_refused_at = now() where email = $1', [
      'finda-1@example.org',
    ]);
    expect((await find('finda')).people.map(({ mails_refused }) => mails_refused)).toEqual([
      true,
      ...[false, false, false, false],
    ]);
    expect(products.map(({ name }) => name)).toEqual([1, 2, 3, 4, 5].map((number) => `Findable ${number}`));
    expect((await find('our find')).products).toEqual([
      {
        product_id: named.product_id,
        name: 'Our Findable',
        url: 'ours.example',
        status: 'live',
        total: 0,
        left: 0,
        logo: null,
      },
    ]);
    expect((await find('indable')).products).toEqual([]);
    expect((await find('amara ok')).people[0]).toMatchObject({ name: 'Amara Okafor' });
  });

  test('R-DAY-34: the typed address comes first, then addresses and then names that begin so, then the rest', async () => {
    // From the last place to the first. The newest people come first only among the rest.
    for (const [email, name] of [
      ['rest-2@rank.example', 'Zoe Kestrel'],
      ['rest-1@kestrel.example', 'Ada'],
      ['named@rank.example', 'KESTREL Zoe'],
      ['kestrel.b@rank.example', 'Ben'],
      ['kestrel@rank.example', 'Kestrel'],
      ['kestrel@rank.example.org', null],
    ])
      await portal.db.query('insert into app_user (email, name) values ($1, $2)', [email, name]);
    const emails = async (q: string) => (await find(q)).people.map(({ email }) => email);
    expect(await emails('kestrel')).toEqual([
      'kestrel.b@rank.example',
      'kestrel@rank.example',
      'kestrel@rank.example.org',
      'named@rank.example',
      'rest-1@kestrel.example',
    ]);
    expect((await emails(' Kestrel@rank.example')).slice(0, 3)).toEqual([
      'kestrel@rank.example',
      'kestrel@rank.example.org',
      'kestrel.b@rank.example',
    ]);
    expect(await emails('kestrel z')).toEqual(['named@rank.example', 'rest-2@rank.example']);
    expect(await emails('zoe')).toEqual(['rest-2@rank.example', 'named@rank.example']);
  });

  test('an archived product comes last, and the one whose name begins so first; a shared code has no number left', async () => {
    const archived = await addProduct(portal.db, { name: 'Quern' });
    await addProduct(portal.db, { name: 'A Quern', codes: ['A', 'B'] });
    await addProduct(portal.db, { name: 'Quernbase', shared_coupon: true });
    await portal.db.query(
      "update product set archived_at = now(), archived_by = 'owner@provider.example' where product_id = $1",
      [archived.product_id],
    );
    expect((await find('quern', 'viewer')).products).toMatchObject([
      { name: 'Quernbase', status: 'live', left: null },
      { name: 'A Quern', status: 'live', left: 2, total: 2 },
      { name: 'Quern', status: 'archived' },
    ]);
  });

  test('fewer than two characters find nothing, and more than 255 are refused', async () => {
    await addLearner(portal.db, [], 'x@example.org');
    for (const q of ['', ' ', 'x', ' x ', '𝒳']) expect(await find(q), q).toEqual(NOTHING);
    expect((await find('x@')).people).toHaveLength(1);
    expect((await portal.call('GET', '/api/admin/find', { token: tokens.owner })).body).toEqual(NOTHING);
    expect(await ask('x'.repeat(256))).toMatchObject({
      status: 400,
      body: { message: 'q must be at most 255 characters' },
    });
  });

  test('signs that are special in patterns stand for themselves', async () => {
    for (const q of ['%%', '__', '.*', '\\\\', "''"]) expect(await find(q), q).toEqual(NOTHING);
  });
});

describe('R-FIND-03, N-77: a code', () => {
  test('is found by its whole text only, ignoring case, by every role but viewer, with hint, product and holder', async () => {
    const product = await addHeld(
      'Merrowcode',
      ['Whole-Code-LQ27', 'WHOLE-CODE-LQ27-2'],
      ['hal@example.org'],
    );
    const holder = await personOf('hal@example.org');
    for (const who of STAFF) {
      for (const part of ['Whole', 'Whole-Code-LQ2', 'hole-Code-LQ27', 'Whole-Code-LQ27-'])
        expect((await find(part, who)).code, part).toBeNull();
      for (const q of ['Whole-Code-LQ27', ' WHOLE-CODE-LQ27 ', 'whole-code-lq27'])
        expect((await find(q, who)).code).toEqual({
          id: expect.stringMatching(/^\d+$/),
          hint: 'LQ27',
          product,
          state: 'held',
          unconfirmed: false,
          holder,
        });
      expect((await find('whole-code-lq27-2', who)).code).toMatchObject({
        hint: 'Q27-2',
        state: 'free',
        holder: null,
      });
    }
  });

  test('a viewer finds neither people nor codes', async () => {
    const { product_id } = await addHeld('Vesper', ['VESPER-0001-AAAA'], ['vesper@example.org']);
    expect(await find('vesper', 'viewer')).toEqual({
      ...NOTHING,
      products: [expect.objectContaining({ product_id })],
    });
    for (const q of ['VESPER-0001-AAAA', 'vesper@example.org', 'Amara'])
      expect(await find(q, 'viewer'), q).toEqual(NOTHING);
  });

  test('a revoked code has its last holder, a void one none, and a short one no hint', async () => {
    await addHeld('States', ['REVOKED-001', 'SHORT-1'], ['rev@example.org']);
    await act('REVOKED-001', 'revoke', { reason: 'Used up', replace: false });
    await act('SHORT-1', 'void', { reason: 'dead', note: null });
    expect((await find('revoked-001', 'support')).code).toMatchObject({
      state: 'revoked',
      holder: { email: 'rev@example.org' },
    });
    expect((await find('short-1', 'support')).code).toMatchObject({
      state: 'void',
      holder: null,
    });
  });

  test('of two products with the same code, the held one comes first; with several holders there is no holder', async () => {
    await addProduct(portal.db, { name: 'Free', codes: ['SAME-CODE-0001'] });
    const { product_id } = await addHeld('Held', ['SAME-CODE-0001'], ['one@example.org']);
    expect((await find('same-code-0001')).code).toMatchObject({
      state: 'held',
      product: { product_id },
      holder: { email: 'one@example.org' },
    });
    await addHeld('Held too', ['same-code-0001'], ['two@example.org']);
    expect((await find('same-code-0001')).code).toMatchObject({ state: 'held', holder: null });
    await addHeld('Shared', ['SHARED-BY-ALL'], ['three@example.org', 'four@example.org'], true);
    expect((await find('shared-by-all')).code).toMatchObject({ state: 'held', holder: null });
  });
});

test('R-FIND-03, C-12: any text gets a response below 500, and no reply to anybody contains a code', async () => {
  const codes = ['FUZZED-0001-AAAA', 'FUZZED-0002-BBBB', `FUZZED-${randomUUID()}`];
  await addHeld('Fuzzed', codes, ['fuzzed@example.org']);
  const texts = fc.oneof(
    fuzzText,
    fc.constantFrom(...codes, 'fuzzed', 'FUZZED-0001-AAA', 'fuzzed@example.org'),
  );
  await fc.assert(
    fc.asyncProperty(texts, fc.constantFrom(...TEAM_ROLES), async (q, who) => {
      const { status, body, headers } = await ask(q.toWellFormed(), who);
      expect([200, 400]).toContain(status);
      if (status !== 200) return;
      const text = JSON.stringify([body, headers]).toLowerCase();
      for (const code of codes) expect(text).not.toContain(code.toLowerCase());
    }),
    { numRuns: 150, seed: 20_261_125 },
  );
});
