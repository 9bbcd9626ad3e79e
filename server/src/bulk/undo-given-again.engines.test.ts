// Tests that the undo of an upload keeps the access that somebody else gave too, and that it is refused if audit lines
// of the upload were deleted.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addProduct, utcToday } from '../../test/factories.ts';
import { addGrant } from '../../test/lifecycle.ts';
import { openTestDatabase } from '../../test/open-test-database.ts';
import { inDays } from '../../test/staff-calls.ts';
import { createUploadTools, TEST_IMPORT_TOOLS } from '../../test/test-jobs.ts';
import { deleteOldLines } from '../backup/tables.sql.ts';
import type { Database } from '../db/database.ts';
import { hasAccess } from '../features/access/access.sql.ts';
import { createGrants, editGrant } from '../features/access/grants.ts';
import { addMembers } from '../features/cohorts/members.ts';
import { saveUser } from '../features/people/person.ts';
import { findImportState, findJobState } from './bulk-jobs.sql.ts';
import { actOnUsers } from './people-acts.ts';
import { previewUndo, undoImport } from './undo.ts';
import { importCsv, type Upload } from './uploads.ts';

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

const actor = 'staff@example.org';
const tools = () => createUploadTools(db);
const uploadUsers = (emails: readonly string[], more: Partial<Upload> = {}, by = tools()) =>
  importCsv(
    db,
    { kind: 'users', csvData: `email\n${emails.join('\n')}\n`, product_ids: [], actor, ...more },
    by,
  );
const preview = (id: string) => previewUndo(db, id, TEST_IMPORT_TOOLS);
const undo = (id: string, expected: number, by = tools()) => undoImport(db, { id, actor, expected }, by);
const byEmail = (a: { email?: unknown }, b: { email?: unknown }) =>
  String(a.email) < String(b.email) ? -1 : 1;
const email = () => `${randomUUID()}@example.org`;

/** Returns pairs of address and product for all who have access today; with `people`, only for these people. */
async function listAccess(product_ids: readonly string[], people?: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ pair: string }>(
    `select u.email || ' ' || p.product_id as pair from app_user u cross join product p
     where p.product_id = any($1) and ($3::text[] is null or u.email = any($3))
       and ${hasAccess('u.id', 'p.product_id', '$2')} order by 1`,
    [product_ids, utcToday(), people ?? null],
  );
  return rows.map(({ pair }) => pair);
}

async function addCohort(): Promise<string> {
  const { rows } = await db.query<{ cohort_id: string }>(
    `insert into cohort (name, created_by) values ($1, 'x') returning cohort_id`,
    [randomUUID()],
  );
  return rows[0]?.cohort_id ?? '';
}

/** The access that somebody gives to people: products, and a cohort that they join. */
type Gift = { people: readonly string[]; product_ids: readonly string[]; cohort_id?: string | undefined };

/** The ways to give access without an upload. */
const BY_HAND = {
  single: async ({ people, product_ids, cohort_id }: Gift) => {
    for (const address of people) {
      const cohort_ids = cohort_id === undefined ? [] : [cohort_id];
      const person = { email: address, name: 'Amara Okafor', phone_number: null };
      const user = { ...person, product_ids: [...product_ids], cohort_ids, starts_on: null, ends_on: null };
      await saveUser(db, { actor, user, today: utcToday() });
    }
  },
  grant: async ({ people, product_ids, cohort_id }: Gift) => {
    if (cohort_id !== undefined) await addMembers(db, { cohort_id, actor, emails: people });
    for (const address of people) {
      const given = { email: address, product_ids: [...product_ids], starts_on: null, ends_on: null };
      await createGrants(db, { actor, given }, TEST_IMPORT_TOOLS);
    }
  },
  act: async ({ people, product_ids, cohort_id }: Gift) => {
    const whom = { emails: [...people], expected: people.length };
    await actOnUsers(db, { actor, order: { ...whom, act: 'grant', product_ids: [...product_ids] } }, tools());
    if (cohort_id !== undefined)
      await actOnUsers(db, { actor, order: { ...whom, act: 'join', cohort_id } }, tools());
  },
};

describe('R-IMP-28: what somebody else gave too', () => {
  test('stays when an upload is taken back, and the numbers say by whom: another file, or by hand', async () => {
    const { product_id } = await addProduct(db);
    const product_ids = [product_id];
    const people = Array.from({ length: 5 }, email);
    const [one = '', two = '', three = '', four = '', five = ''] = people;
    const accessOf = async () =>
      (await listAccess(product_ids, people))
        .map((pair) => people.indexOf(pair.split(' ')[0] ?? '') + 1)
        .sort();
    const a = await uploadUsers([one, two, three, four], { product_ids, file_name: 'a.csv' });
    const b = await uploadUsers([three, four, five], { product_ids, file_name: 'b.csv' });
    await BY_HAND.single({ people: [one], product_ids });
    expect(await preview(a.id)).toMatchObject({
      ...{ grants: 1, people: 1, kept: 3, kept_later: 3 },
      later: [
        { import_id: b.id, file_name: 'b.csv', count: 2 },
        { import_id: null, file_name: null, count: 1 },
      ],
    });
    expect(await findJobState(db, await undo(a.id, 1), 0)).toMatchObject({
      results: { people: 1, grants: 1 },
    });
    expect(await accessOf()).toEqual([1, 3, 4, 5]);
    // The grants of three and four now belong to the second upload.
    expect(await preview(b.id)).toMatchObject({ grants: 3, people: 3, kept: 0, kept_later: 0, later: [] });
    await undo(b.id, 3);
    expect(await accessOf()).toEqual([1]);
  });

  test('stays for the days that the others gave together, and the log has them', async () => {
    const { product_id } = await addProduct(db);
    const product_ids = [product_id];
    const [one, two, three, four] = [email(), email(), email(), email()];
    const listDays = async () => {
      const { rows } = await db.query<{ id: string; email: string; days: string }>(
        `select g.id, u.email, g.starts_on || ' to ' || coalesce(g.ends_on::text, 'no end') as days
         from access_grant g join app_user u on u.id = g.user_id where g.product_id = $1 and g.withdrawn_at is null`,
        [product_id],
      );
      return { days: Object.fromEntries(rows.map((row) => [row.email, row.days])), rows };
    };
    const [first, second, third] = [inDays(1), inDays(2), inDays(3)];
    const until = (starts_on: string, ends_on: string) => ({ product_ids, starts_on, ends_on });
    const a = await uploadUsers([one, two, three, four], { product_ids });
    const b = await uploadUsers([one, two, three, four], until(first, '2997-12-31'));
    const c = await uploadUsers([two], until(second, '2998-12-31'));
    for (const ends_on of ['2996-12-31', '2999-12-31'])
      await createGrants(db, { actor, given: { email: three, ...until(third, ends_on) } }, TEST_IMPORT_TOOLS);
    const openEnd = `${utcToday()} to no end`;
    expect((await listDays()).days).toEqual({
      [one]: openEnd,
      [two]: openEnd,
      [three]: openEnd,
      [four]: openEnd,
    });
    const id = (await listDays()).rows.find((row) => row.email === four)?.id ?? '';
    const edited = { id, actor, reason: 'Term', expected: 1, starts_on: utcToday(), ends_on: '2995-12-31' };
    await editGrant(db, edited, TEST_IMPORT_TOOLS);

    await undo(a.id, 0);
    const of = [one, two, three];
    const [days, later] = [`${first} to 2997-12-31`, `${first} to 2998-12-31`];
    expect((await listDays()).days).toEqual({
      ...{ [one]: days, [two]: later, [three]: `${first} to 2999-12-31` },
      // The days that staff set stay.
      [four]: `${utcToday()} to 2995-12-31`,
    });
    const { rows: lines } = await db.query(
      `select u.email, a.detail -> 'starts_on' as starts_on, a.detail -> 'ends_on' as ends_on
       from audit a join app_user u on u.id = a.user_id
       where a.action = 'grant.edit' and a.detail ->> 'import_id' = $1`,
      [a.id],
    );
    const ends = ['2997-12-31', '2998-12-31', '2999-12-31'];
    const lineOf = (who: string, n: number) => ({
      ...{ email: who, starts_on: [utcToday(), first], ends_on: [null, ends[n]] },
    });
    expect(lines.toSorted(byEmail)).toEqual(of.map(lineOf).toSorted(byEmail));

    // R-IMP-13: the undo of a later upload that only lengthened grants keeps their days.
    await undo(c.id, 0);
    expect((await listDays()).days).toMatchObject({ [two]: later });
    await undo(b.id, 3);
    expect((await listDays()).days).toEqual({ [three]: `${third} to 2999-12-31` });
  });

  test.each(Object.keys(BY_HAND) as (keyof typeof BY_HAND)[])(
    'also memberships, and by hand: %s',
    async (way) => {
      const product = await addProduct(db);
      const cohort_id = await addCohort();
      await addGrant(db, { cohort_id, product_id: product.product_id });
      const direct = await addProduct(db);
      const product_ids = [direct.product_id];
      const [kept, lost] = [email(), email()];
      const { id } = await uploadUsers([kept, lost], { product_ids, cohort_id });
      await BY_HAND[way]({ people: [kept], product_ids, cohort_id });
      expect(await preview(id)).toMatchObject({ people: 1, grants: 1, kept: 1, kept_later: 1 });
      const state = await findJobState(db, await undo(id, 1), 0);
      expect(state).toMatchObject({ results: { people: 1, grants: 1, left: 1 } });
      const all = [...product_ids, product.product_id];
      expect(await listAccess(all, [kept, lost])).toEqual(all.map((to) => `${kept} ${to}`).sort());
    },
  );

  test('model: in whatever order uploads are taken back, people have what the other gifts gave', async () => {
    const products = [await addProduct(db), await addProduct(db), await addProduct(db)];
    const ids = products.map(({ product_id }) => product_id);
    const [byCohort = '', ...direct] = ids;
    const cohort_id = await addCohort();
    await addGrant(db, { cohort_id, product_id: byCohort });
    const people = Array.from({ length: 4 }, (_, at) => `g${at}-${randomUUID()}@example.org`);
    const gift = fc.record({
      people: fc.subarray(people, { minLength: 1 }),
      product_ids: fc.subarray(direct, { minLength: 1 }),
      cohort_id: fc.constantFrom(undefined, cohort_id),
      way: fc.constantFrom(
        'upload',
        'upload',
        'upload',
        ...(Object.keys(BY_HAND) as (keyof typeof BY_HAND)[]),
      ),
    });
    const orders = fc.shuffledSubarray([0, 1, 2, 3, 4]);
    await uploadUsers(people, { product_ids: direct });
    await fc.assert(
      fc.asyncProperty(fc.array(gift, { minLength: 2, maxLength: 5 }), orders, async (gifts, order) => {
        await db.query(
          `update access_grant set withdrawn_at = now(), withdrawn_by = 'x', withdraw_reason = 'x'
           where withdrawn_at is null and user_id is not null`,
        );
        await db.query('delete from cohort_member where cohort_id = $1', [cohort_id]);
        const uploads = new Map<number, string>();
        for (const [at, { way, ...given }] of gifts.entries())
          if (way === 'upload') {
            const { people: emails, ...more } = given;
            uploads.set(at, (await uploadUsers(emails, more)).id);
          } else await BY_HAND[way](given);
        const left = new Map(gifts.entries());
        const expected = () =>
          [
            ...new Set(
              [...left.values()].flatMap((given) =>
                given.people.flatMap((who) =>
                  [...given.product_ids, ...(given.cohort_id ? [byCohort] : [])].map((to) => `${who} ${to}`),
                ),
              ),
            ),
          ].sort();
        expect(await listAccess(ids, people)).toEqual(expected());
        for (const at of order) {
          const id = uploads.get(at);
          if (id === undefined) continue;
          const before = await listAccess(ids, people);
          const numbers = await preview(id);
          left.delete(at);
          const losing = before.filter((pair) => !expected().includes(pair));
          expect(numbers.people).toBe(new Set(losing.map((pair) => pair.split(' ')[0])).size);
          const state = await findJobState(db, await undo(id, numbers.people), 0);
          expect(state).toMatchObject({ results: { people: numbers.people, grants: numbers.grants } });
          expect(await listAccess(ids, people)).toEqual(expected());
        }
      }),
      { numRuns: db.engine === 'embedded' ? 8 : 16, seed: 20_261_126 },
    );
  });

  test('R-IMP-12: also products that a later upload names', async () => {
    const names = [1, 2].map((n) => `L${n} ${randomUUID()}`);
    const uploadProducts = (some: readonly string[], file_name: string) => {
      const csvData = `name,description,url\n${some.map((name) => `${name},x,p.example`).join('\n')}\n`;
      return importCsv(db, { kind: 'products', csvData, file_name, product_ids: [], actor }, tools());
    };
    const openNames = async () => {
      const { rows } = await db.query<{ name: string }>(
        'select name from product where name = any($1) and archived_at is null order by name',
        [names],
      );
      return rows.map(({ name }) => name);
    };
    const a = await uploadProducts(names, 'a.csv');
    const b = await uploadProducts(names.slice(1), 'b.csv');
    expect(b.results).toMatchObject({ success: 0, duplicates: 1 });
    expect(await preview(a.id)).toMatchObject({
      ...{ products: 1, products_kept: 1, kept_later: 1 },
      later: [{ import_id: b.id, file_name: 'b.csv', count: 1 }],
    });
    await undo(a.id, 1);
    expect(await openNames()).toEqual(names.slice(1));
    expect(await preview(b.id)).toMatchObject({ products: 1, products_kept: 0, later: [] });
    await undo(b.id, 1);
    expect(await openNames()).toEqual([]);
  });
});

describe('R-IMP-29: after the lines of an upload were removed from the log', () => {
  const prune = (id: string) =>
    db.transaction(async (tx) => {
      const before = new Date(Date.now() + 60_000);
      const { rows } = await tx.query<{ id: string }>(
        "select id from audit where detail->>'import_id' = $1",
        [id],
      );
      await deleteOldLines(tx, { before, ids: rows.map((row) => row.id) });
    });

  test('it is not taken back, and stays as it is: the portal does not know what it made', async () => {
    const cohort_id = await addCohort();
    const people = await uploadUsers([email()], { cohort_id });
    const csvData = `name,description,url\n${randomUUID()},x,p.example\n`;
    const products = await importCsv(db, { kind: 'products', csvData, product_ids: [], actor }, tools());
    for (const { id } of [people, products]) {
      await prune(id);
      await expect(preview(id)).rejects.toMatchObject({ code: 'log_pruned' });
      await expect(undo(id, 1)).rejects.toMatchObject({ code: 'log_pruned' });
      expect(await findImportState(db, id, 0)).toMatchObject({ state: 'done' });
    }
    const { rows } = await db.query('select from cohort_member where cohort_id = $1', [cohort_id]);
    expect(rows).toHaveLength(1);
  });

  test('grants are taken back all the same: they know their upload', async () => {
    const { product_id } = await addProduct(db);
    const { id } = await uploadUsers([email()], { product_ids: [product_id] });
    await prune(id);
    await undo(id, 1);
    expect(await listAccess([product_id])).toEqual([]);
  });
});
