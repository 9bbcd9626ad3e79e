// Tests giving, editing and withdrawing access.
import { randomUUID } from 'node:crypto';
import type { Grant, NewGrant } from '@portal/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addLearner, addProduct } from '../../../test/factories.ts';
import {
  addCohort,
  addGrant,
  findLastLine,
  type Learner,
  listAuditLines,
  outcomeOn,
  STAFF,
  toolsOn,
} from '../../../test/lifecycle.ts';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import type { Database } from '../../db/database.ts';
import { createGrants, editGrant, withdrawGrant } from './grants.ts';

const TODAY = '2026-11-20';

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

const give = (given: NewGrant, day = TODAY) => createGrants(db, { actor: STAFF, given }, toolsOn(day));
const giveOne = async (given: NewGrant, day = TODAY) => (await give(given, day)).grants[0] as Grant;
const edit = (
  id: string,
  days: { starts_on: string; ends_on: string | null },
  reason: string | null = null,
) => editGrant(db, { id, actor: STAFF, reason, expected: 1, ...days }, toolsOn(TODAY));
const withdraw = (id: string, revoke_code = false, day = TODAY) =>
  withdrawGrant(
    db,
    { id, actor: 'noor@example.org', reason: 'Left the course', revoke_code, expected: 1 },
    toolsOn(day),
  );

const listLines = (learner: Learner, after = '0') => listAuditLines(db, learner, after);
const lastLine = (learner: Learner) => findLastLine(db, learner);

describe('R-LIFE-13: giving', () => {
  test('products from one day to another; the default is from today without end', async () => {
    const products = [await addProduct(db), await addProduct(db, { name: 'Second' })];
    const learner = await addLearner(db, []);
    const after = await lastLine(learner);
    const product_ids = products.map(({ product_id }) => product_id);
    const given = await give({
      email: learner.email,
      product_ids,
      starts_on: '2026-12-01',
      ends_on: '2027-02-28',
    });
    expect(given.new).toBe(2);
    expect(given.grants).toHaveLength(2);
    expect(given.grants).toContainEqual({
      id: expect.stringMatching(/^\d+$/),
      product_id: product_ids[1],
      product_name: 'Second',
      starts_on: '2026-12-01',
      ends_on: '2027-02-28',
      granted_by: STAFF,
      granted_at: expect.stringMatching(/Z$/),
      via: 'direct',
      state: 'future',
      withdrawn_at: null,
    });
    const all = await give({ email: learner.email, product_ids: 'all' });
    expect(all).toMatchObject({
      new: 1,
      grants: [{ product_id: null, product_name: null, starts_on: TODAY, ends_on: null, state: 'live' }],
    });
    const lines = await listLines(learner, after);
    expect(lines).toEqual([
      {
        ...{ id: expect.any(String), actor: STAFF, action: 'grant.create', product_id: null },
        detail: {
          product_ids: expect.arrayContaining(product_ids),
          starts_on: '2026-12-01',
          ends_on: '2027-02-28',
        },
      },
      {
        ...{ id: expect.any(String), actor: STAFF, action: 'grant.create', product_id: null },
        detail: { product_ids: 'all', starts_on: TODAY },
      },
    ]);
  });

  test('to a cohort, for its members', async () => {
    const product = await addProduct(db, { codes: ['COHORT'] });
    const learner = await addLearner(db, []);
    const cohort_id = await addCohort(db, [learner]);
    const given = await give({ cohort_id, product_ids: [product.product_id] });
    expect(given).toMatchObject({
      new: 1,
      grants: [{ via: 'cohort', state: 'live', product_id: product.product_id }],
    });
    expect((await give({ cohort_id, product_ids: [product.product_id] })).new).toBe(0);
    expect(await outcomeOn(db, TODAY, learner, product)).toBe('COHORT');
    const { rows } = await db.query(
      "select user_id, product_id, detail from audit where detail ->> 'cohort_id' = $1",
      [cohort_id],
    );
    // An audit line about one product has the product's id, so that the product's timeline shows the line (R-TRAIL-52).
    const { product_id } = product;
    expect(rows).toEqual([
      { user_id: null, product_id, detail: { cohort_id, product_ids: [product_id], starts_on: TODAY } },
    ]);
    const id = given.grants[0]?.id ?? '';
    expect(await edit(id, { starts_on: TODAY, ends_on: TODAY }, 'Shorter')).toMatchObject({ ends_on: TODAY });
    await db.query('update cohort set archived_at = now() where cohort_id = $1', [cohort_id]);
    // A grant of an archived cohort has the state 'archived' (N-63).
    expect((await give({ cohort_id, product_ids: [product.product_id] })).grants).toMatchObject([
      { state: 'archived' },
    ]);
    expect(await withdraw(id)).toMatchObject({ state: 'withdrawn', via: 'cohort' });
  });

  test('N-56: an unknown person, cohort or product, and an archived product are refused, and nothing is written', async () => {
    const product = await addProduct(db);
    const archived = await addProduct(db);
    await db.query('update product set archived_at = now() where product_id = $1', [archived.product_id]);
    const { email, user_id } = await addLearner(db, []);
    const product_ids = [product.product_id];
    const code = (given: NewGrant) =>
      give(given).then(
        () => 'done',
        (error) => error.code,
      );
    expect(await code({ email: 'who@example.org', product_ids })).toBe('user_not_found');
    expect(await code({ cohort_id: randomUUID(), product_ids })).toBe('cohort_not_found');
    expect(await code({ cohort_id: 'x', product_ids })).toBe('cohort_not_found');
    for (const other of [archived.product_id, randomUUID(), 'nope'])
      expect(await code({ email, product_ids: [...product_ids, other] })).toBe('product_not_found');
    await expect(give({ email, product_ids, ends_on: '2026-11-19' })).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'ends_on must not be before starts_on',
    });
    expect((await db.query('select 1 from access_grant where user_id = $1', [user_id])).rows).toEqual([]);
  });
});

describe('R-LIFE-02, N-61, N-65: giving what was given', () => {
  const JAN = { starts_on: '2027-01-01', ends_on: '2027-01-31' };
  test.each([
    ['the same again changes nothing', JAN, JAN, { ...JAN, new: 0, lines: 0 }],
    [
      'fewer days change nothing',
      JAN,
      { starts_on: '2027-01-10', ends_on: '2027-01-20' },
      { ...JAN, new: 0, lines: 0 },
    ],
    [
      'a later end lengthens',
      JAN,
      { starts_on: '2027-01-10', ends_on: '2027-03-01' },
      { starts_on: '2027-01-01', ends_on: '2027-03-01', new: 0, lines: 1 },
    ],
    [
      'no end lengthens',
      JAN,
      { starts_on: '2027-01-10', ends_on: null },
      { starts_on: '2027-01-01', ends_on: null, new: 0, lines: 1 },
    ],
    [
      'an earlier start lengthens',
      { ...JAN, ends_on: null },
      { starts_on: '2026-01-01', ends_on: '2026-12-31' },
      { starts_on: '2026-01-01', ends_on: null, new: 0, lines: 1 },
    ],
    [
      'a gap is closed',
      JAN,
      { starts_on: '2026-11-01', ends_on: '2026-11-30' },
      { starts_on: '2026-11-01', ends_on: '2027-01-31', new: 0, lines: 1 },
    ],
    [
      'days after a gap too',
      { starts_on: '2026-11-01', ends_on: TODAY },
      JAN,
      { starts_on: '2026-11-01', ends_on: '2027-01-31', new: 0, lines: 1 },
    ],
    [
      'days that are over are replaced',
      { starts_on: '2026-01-01', ends_on: '2026-11-19' },
      JAN,
      { ...JAN, new: 1, lines: 1 },
    ],
    [
      'over, the same again changes nothing',
      { starts_on: '2026-01-01', ends_on: '2026-11-19' },
      { starts_on: '2026-01-01', ends_on: '2026-11-19' },
      { starts_on: '2026-01-01', ends_on: '2026-11-19', new: 0, lines: 0 },
    ],
  ])('%s', async (_what, first, second, { lines, new: added, ...days }) => {
    const product = await addProduct(db);
    const learner = await addLearner(db, []);
    const given = { email: learner.email, product_ids: [product.product_id] };
    // The first grant is given a year before today, so that its last day is not over yet when it is given.
    const { id, granted_at } = await giveOne({ ...given, ...first }, '2025-11-20');
    const after = await lastLine(learner);
    const again = await give({ ...given, ...second });
    expect(again).toMatchObject({ new: added, grants: [{ id, ...days }] });
    expect(again.grants).toHaveLength(1);
    if (added === 0) expect(again.grants[0]?.granted_at).toBe(granted_at);
    expect(await listLines(learner, after)).toHaveLength(lines);
  });

  test('after a withdrawal there is a new grant; a grant of a purchase stays beside it', async () => {
    const product = await addProduct(db);
    const learner = await addLearner(db, []);
    const given = { email: learner.email, product_ids: [product.product_id] };
    const bought = await addGrant(db, {
      user_id: learner.user_id,
      product_id: product.product_id,
      purchase_id: '7',
    });
    const first = await giveOne(given);
    await withdraw(first.id);
    const second = await give(given);
    expect(second).toMatchObject({ new: 1, grants: [{ state: 'live', via: 'direct' }] });
    expect(second.grants.map(({ id }) => id)).not.toContain(bought);
    expect(second.grants.map(({ id }) => id)).not.toContain(first.id);
  });

  test('two that give the same at once make one grant, which counts as new once', async () => {
    const product = await addProduct(db);
    const learner = await addLearner(db, []);
    const given = { email: learner.email, product_ids: [product.product_id] };
    const both = await Promise.all([give(given), give(given), give(given)]);
    expect(both.map((result) => result.new).sort()).toEqual([0, 0, 1]);
    expect(new Set(both.map(({ grants }) => grants[0]?.id)).size).toBe(1);
  });
});

describe('R-LIFE-14: editing', () => {
  test('R-LIFE-14: a stale dialog does not undo days that somebody else has set meanwhile', async () => {
    const product = await addProduct(db);
    const learner = await addLearner(db, []);
    const seen = { starts_on: TODAY, ends_on: null };
    const { id } = await giveOne({ email: learner.email, product_ids: [product.product_id] });
    const theirs = { starts_on: TODAY, ends_on: '2027-06-30' };
    await edit(id, theirs, 'Course ends');
    const after = await lastLine(learner);
    const send = (days: typeof seen | typeof theirs, was: typeof seen | typeof theirs) =>
      editGrant(db, { id, actor: STAFF, reason: null, ...days, was }, toolsOn(TODAY));
    // Without a reason: a dialog that shows no last day does not ask for a reason.
    await expect(send({ starts_on: '2026-12-01', ends_on: null }, seen)).rejects.toMatchObject({
      code: 'edit_conflict',
      message: 'Somebody else changed these dates meanwhile.',
    });
    expect(await send(theirs, seen)).toMatchObject(theirs);
    expect(await listLines(learner, after)).toEqual([]);
    const later = { starts_on: '2026-12-01', ends_on: '2027-06-30' };
    expect(await send(later, theirs)).toMatchObject(later);
  });

  test('N-98: the days change; an earlier end needs a reason, and an edit that changes nothing writes nothing', async () => {
    const product = await addProduct(db, { codes: ['EDIT'] });
    const learner = await addLearner(db, []);
    const { id } = await giveOne({ email: learner.email, product_ids: [product.product_id] });
    const after = await lastLine(learner);
    const open = { starts_on: TODAY, ends_on: null };
    expect(await edit(id, open)).toMatchObject(open);
    const shorter = { starts_on: TODAY, ends_on: '2026-12-31' };
    await expect(edit(id, shorter)).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'reason is required',
    });
    expect(await edit(id, shorter, 'Ends with the year')).toMatchObject({ id, ...shorter, state: 'live' });
    await expect(edit(id, { ...shorter, ends_on: '2026-12-30' })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    const later = { starts_on: '2026-12-01', ends_on: '2027-12-31' };
    expect(await edit(id, later)).toMatchObject({ ...later, state: 'future' });
    expect(await outcomeOn(db, TODAY, learner, product)).toBe('access_not_started');
    expect(await outcomeOn(db, '2026-12-01', learner, product)).toBe('EDIT');
    const line = {
      id: expect.any(String),
      actor: STAFF,
      action: 'grant.edit',
      product_id: product.product_id,
    };
    expect(await listLines(learner, after)).toMatchObject([
      { ...line, detail: { grant_id: id, ends_on: [null, '2026-12-31'], reason: 'Ends with the year' } },
      {
        ...line,
        detail: { grant_id: id, starts_on: [TODAY, '2026-12-01'], ends_on: ['2026-12-31', '2027-12-31'] },
      },
      { action: 'coupon.redeem' },
    ]);
  });

  test('N-56: a withdrawn grant is a 409, an unknown id a 404', async () => {
    const product = await addProduct(db);
    const learner = await addLearner(db, []);
    const { id } = await giveOne({ email: learner.email, product_ids: [product.product_id] });
    await withdraw(id);
    const days = { starts_on: TODAY, ends_on: null };
    await expect(edit(id, days)).rejects.toMatchObject({ code: 'grant_withdrawn' });
    for (const unknown of [
      '0',
      '-1',
      'x',
      '',
      '1e3',
      '99999999',
      '9223372036854775808',
      '01',
      randomUUID(),
    ]) {
      await expect(edit(unknown, days), unknown).rejects.toMatchObject({ code: 'not_found' });
      await expect(withdraw(unknown), unknown).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});
