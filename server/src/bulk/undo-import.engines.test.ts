// Tests the undo of an upload of people or products: access is as before the upload, unless somebody changed it since.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addCodes, addLearner, addProduct, utcToday } from '../../test/factories.ts';
import { REDEEM_TOOLS } from '../../test/fill-database.ts';
import { addGrant } from '../../test/lifecycle.ts';
import { openTestDatabase } from '../../test/open-test-database.ts';
import { createTestJobs, createUploadTools, TEST_IMPORT_TOOLS } from '../../test/test-jobs.ts';
import type { Database } from '../db/database.ts';
import { hasAccess } from '../features/access/access.sql.ts';
import { withdrawGrant } from '../features/access/grants.ts';
import { redeemCoupon } from '../features/redeem/redeem.ts';
import { createImportHandler } from '../jobs/job-handlers.ts';
import type { Job } from '../jobs/jobs.sql.ts';
import { findImportState, findJobState } from './bulk-jobs.sql.ts';
import { previewUndo, undoImport } from './undo.ts';
import { cancelImport, importCsv, type Upload } from './uploads.ts';

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
const email = () => `${randomUUID()}@example.org`;

async function runDueJobs(seconds: number): Promise<void> {
  const now = () => new Date(Date.now() + seconds * 1000);
  const jobs = createTestJobs(db, { import: createImportHandler(db, TEST_IMPORT_TOOLS) }, { now });
  jobs.wake('import');
  await jobs.close();
}

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

describe('R-IMP-11, R-IMP-13, N-94: an upload of people', () => {
  test('is taken back: the grants that it made end, people and codes stay, and the log says so', async () => {
    const [product, other] = [await addProduct(db, { codes: ['ONE'] }), await addProduct(db)];
    const before = await addLearner(db, [product]);
    const longer = await addLearner(db, [product]);
    await db.query("update access_grant set ends_on = '2999-01-01' where user_id = $1", [longer.user_id]);
    const [fresh, holder] = [email(), await addLearner(db, [other])];
    const product_ids = [product.product_id];
    const { id } = await uploadUsers([before.email, longer.email, fresh, holder.email, fresh], {
      product_ids,
    });
    await redeemCoupon(db, { caller: holder, productId: product.product_id }, REDEEM_TOOLS);
    expect(await preview(id)).toEqual({
      ...{ grants: 2, people: 2, holding: 1, kept: 2, lengthened: 1, products: 0, products_kept: 0 },
      ...{ kept_later: 0, later: [] },
    });
    await expect(undo(id, 1)).rejects.toMatchObject({ code: 'count_changed', count: 2 });
    const job_id = await undo(id, 3);
    expect(await findJobState(db, job_id, 0)).toMatchObject({
      kind: 'undo',
      state: 'done',
      undoes: id,
      results: { people: 2, grants: 2, left: 0, products: 0 },
    });
    expect(await undo(id, 0)).toBe(job_id);
    expect(await findImportState(db, id, 0)).toMatchObject({
      state: 'taken_back',
      results: { productAccess: 2 },
    });
    expect(await listAccess(product_ids)).toEqual(
      [before.email, longer.email].map((who) => `${who} ${product.product_id}`).sort(),
    );
    const { rows: held } = await db.query('select from coupon where holder = $1 and revoked_at is null', [
      holder.user_id,
    ]);
    expect(held).toHaveLength(1);
    const { rows } = await db.query(
      `select action, actor, product_id, detail - 'grant_id' as detail from audit
       where detail->>'import_id' = $1 and (action = 'grant.withdraw' or action = 'import.undo') order by id`,
      [id],
    );
    const line = { action: 'grant.withdraw', actor, product_id: product.product_id };
    const detail = { reason: 'Upload taken back', revoke_code: false, import_id: id };
    expect(rows).toEqual([
      { ...line, detail },
      { ...line, detail },
      {
        ...{ action: 'import.undo', actor, product_id: null },
        detail: { import_id: id, expected: 3, people: 2, grants: 2, left: 0, products: 0, count: 2 },
      },
    ]);
    expect(await preview(id)).toMatchObject({ grants: 0, people: 0 });
    const again = await uploadUsers([fresh], { product_ids });
    expect(again.results).toMatchObject({ success: 0, duplicates: 1, productAccess: 1 });
  });

  test('also takes back payments, later first days and the cohort, but no membership of somebody else', async () => {
    const product = await addProduct(db);
    const cohort_id = await addCohort();
    const [member, joins, rejoins] = [await addLearner(db, []), email(), email()];
    await db.query("insert into cohort_member (cohort_id, user_id, joined_by) values ($1, $2, 'x')", [
      cohort_id,
      member.user_id,
    ]);
    const csvData = `email,payment_id\n${member.email},P-1\n${joins},\n${rejoins},\n`;
    const more = { cohort_id, product_ids: [product.product_id], starts_on: '2999-01-01', csvData };
    const { id, results } = await uploadUsers([], more);
    expect(results).toMatchObject({ joined: 2, productAccess: 3 });
    await db.query(
      `with gone as (delete from cohort_member where user_id = (select id from app_user where email = $1) returning *)
       insert into cohort_member (cohort_id, user_id, joined_by, joined_at)
       select cohort_id, user_id, 'y', now() + interval '1 second' from gone`,
      [rejoins],
    );
    expect(await preview(id)).toMatchObject({ grants: 4, people: 3 });
    const state = await findJobState(db, await undo(id, 3), 0);
    expect(state).toMatchObject({ results: { people: 3, grants: 4, left: 1 } });
    const { rows } = await db.query(
      'select email from cohort_member m join app_user u on u.id = m.user_id where cohort_id = $1',
      [cohort_id],
    );
    expect(rows.map((row) => row.email).sort()).toEqual([member.email, rejoins].sort());
    const { rows: lines } = await db.query(
      `select detail from audit where action = 'member.remove' and cohort_id = $1`,
      [cohort_id],
    );
    expect(lines).toEqual([{ detail: { reason: 'Upload taken back', import_id: id } }]);
  });

  test('without products, people only leave the cohort', async () => {
    const cohort_id = await addCohort();
    const { id } = await uploadUsers([email(), email()], { cohort_id });
    expect(await preview(id)).toMatchObject({ grants: 0, people: 2 });
    const state = await findJobState(db, await undo(id, 2), 0);
    expect(state).toMatchObject({ state: 'done', results: { people: 2, grants: 0, left: 2 } });
  });

  test('N-94: counts who loses access by leaving the cohort and holds a code, and who had access before', async () => {
    const [direct, given, other] = [await addProduct(db), await addProduct(db), await addProduct(db)];
    for (const product of [direct, given, other])
      await addCodes(
        db,
        product,
        Array.from({ length: 4 }, () => randomUUID()),
      );
    const [cohort_id, second, archived] = [await addCohort(), await addCohort(), await addCohort()];
    await db.query('update cohort set archived_at = now() where cohort_id = $1', [archived]);
    for (const [cohort, { product_id }] of [
      [cohort_id, given],
      [second, direct],
      [archived, direct],
    ] as const)
      await addGrant(db, { cohort_id: cohort, product_id });
    const join = (cohort: string, { user_id }: Awaited<ReturnType<typeof addLearner>>) =>
      db.query("insert into cohort_member (cohort_id, user_id, joined_by) values ($1, $2, 'x')", [
        cohort,
        user_id,
      ]);
    const hold = (caller: Awaited<ReturnType<typeof addLearner>>, { product_id }: typeof given) =>
      redeemCoupon(db, { caller, productId: product_id }, REDEEM_TOOLS);
    const add = (...products: (typeof given)[]) => addLearner(db, products);

    // An upload of people into the cohort, without products.
    const [member, holds, revoked, elsewhere, free] = [
      await add(),
      await add(),
      await add(),
      await add(other),
      await add(),
    ];
    await join(cohort_id, member);
    const all = [member, holds, revoked, elsewhere, free].map((person) => person.email);
    const { id } = await uploadUsers(all, { cohort_id });
    for (const person of [member, holds, revoked]) await hold(person, given);
    await hold(elsewhere, other);
    await db.query(
      "update coupon set revoked_at = now(), revoked_by = 'x', revoke_reason = 'x' where holder = $1",
      [revoked.user_id],
    );
    expect(await preview(id)).toMatchObject({ grants: 0, people: 4, holding: 1, kept: 1 });

    // An upload with a product. One person has the product through another cohort, one through an archived cohort.
    const [byCohort, byArchived] = [await add(), await add()];
    await join(second, byCohort);
    await join(archived, byArchived);
    const people = [byCohort, byArchived];
    const gives = await uploadUsers(
      people.map((person) => person.email),
      { product_ids: [direct.product_id] },
    );
    expect(await preview(gives.id)).toMatchObject({ people: 2, kept: 0 });
    // The grants of the upload for these people have ended, so the undo has nothing to end for them.
    await db.query(
      `update access_grant set withdrawn_at = now(), withdrawn_by = 'x', withdraw_reason = 'x' where import_id = $1`,
      [gives.id],
    );
    expect(await preview(gives.id)).toMatchObject({ people: 0, kept: 1 });
  });

  test('an upload of many people into a cohort is answered at once and taken back by a job, whose total has the memberships', async () => {
    const cohort_id = await addCohort();
    const emails = Array.from({ length: 5_001 }, (_, at) => `w${at}-${cohort_id}@example.org`);
    const { id } = await uploadUsers(emails, { cohort_id });
    let end = () => {};
    const held = new Promise<void>((resolve) => {
      end = resolve;
    });
    const real = tools();
    let work = Promise.resolve();
    const waiting = {
      ...real,
      runJob: (job: Job) => {
        work = held.then(() => real.runJob(job));
        return work;
      },
    };
    const job_id = await undo(id, 5_001, waiting);
    expect(await findJobState(db, job_id, 0)).toMatchObject({
      state: 'running',
      rows_done: 0,
      rows_total: 5_001,
    });
    end();
    await work;
    expect(await findJobState(db, job_id, 0)).toMatchObject({
      state: 'done',
      rows_done: 5_001,
      rows_total: 5_001,
      results: { left: 5_001 },
    });
  });

  test('counts people of whom staff had withdrawn the grant, because they still leave the cohort', async () => {
    const { product_id } = await addProduct(db);
    const cohort_id = await addCohort();
    const { id } = await uploadUsers([email(), email()], { product_ids: [product_id], cohort_id });
    const { rows } = await db.query<{ id: string }>('select id from access_grant where product_id = $1', [
      product_id,
    ]);
    const withdrawn = { id: rows[0]?.id ?? '', actor, reason: 'Left', revoke_code: false };
    await withdrawGrant(db, withdrawn, TEST_IMPORT_TOOLS);
    expect(await preview(id)).toMatchObject({ grants: 1, people: 2 });
    const state = await findJobState(db, await undo(id, 2), 0);
    expect(state).toMatchObject({ results: { people: 2, grants: 1, left: 2 } });
  });

  test('that has not ended cannot be taken back, a cancelled one can', async () => {
    const { product_id } = await addProduct(db);
    const emails = Array.from({ length: 6_000 }, (_, at) => `u${at}-${product_id}@example.org`);
    let batches = 0;
    const stopping = createUploadTools(db, { ...TEST_IMPORT_TOOLS, isStopping: () => ++batches > 2 });
    const { id } = await uploadUsers(emails, { product_ids: [product_id] }, stopping);
    await expect(undo(id, 1e6)).rejects.toMatchObject({ code: 'import_running' });
    await cancelImport(db, id, { now: () => new Date(), actor });
    const { people } = await preview(id);
    expect(people).toBeGreaterThan(0);
    await undo(id, people);
    await runDueJobs(40);
    expect(await findImportState(db, id, 0)).toMatchObject({ state: 'taken_back' });
    expect(await listAccess([product_id])).toEqual([]);
  });

  test('is taken back to the end after an interruption, once, also by two calls together', async () => {
    const { product_id } = await addProduct(db);
    const cohort_id = await addCohort();
    const emails = Array.from({ length: 2_500 }, (_, at) => `v${at}-${product_id}@example.org`);
    const { id } = await uploadUsers(emails, { product_ids: [product_id], cohort_id });
    let steps = 0;
    const stopping = createUploadTools(db, { ...TEST_IMPORT_TOOLS, isStopping: () => ++steps > 2 });
    const jobs = await Promise.all([undo(id, 2_500, stopping), undo(id, 2_500, stopping)]);
    expect(jobs[0]).toBe(jobs[1]);
    const [job_id = ''] = jobs;
    expect(await findJobState(db, job_id, 0)).toMatchObject({
      state: 'running',
      rows_done: 2_000,
      rows_total: 5_000,
    });
    expect(await findImportState(db, id, 0)).toMatchObject({ state: 'done' });
    await Promise.all([runDueJobs(40), runDueJobs(40)]);
    expect(await findJobState(db, job_id, 0)).toMatchObject({
      state: 'done',
      results: { people: 2_500, grants: 2_500, left: 2_500 },
    });
    expect(await findImportState(db, id, 0)).toMatchObject({ state: 'taken_back' });
    expect(await listAccess([product_id])).toEqual([]);
    const { rows } = await db.query(
      `select count(*)::int as n from audit where action = 'grant.withdraw' and detail->>'import_id' = $1`,
      [id],
    );
    expect(rows).toEqual([{ n: 2_500 }]);
  });

  test('model: each person has the access of before, unless somebody else changed it since', async () => {
    const products = [await addProduct(db), await addProduct(db), await addProduct(db)];
    const ids = products.map(({ product_id }) => product_id);
    const people = Array.from({ length: 6 }, (_, at) => `m${at}-${randomUUID()}@example.org`);
    const subset = <T>(all: readonly T[]) => fc.subarray([...all], { minLength: 1 });
    const uploads = fc.array(
      fc.tuple(subset(people), subset(ids), fc.constantFrom(null, '2998-01-01', '2999-01-01')),
      {
        minLength: 1,
        maxLength: 3,
      },
    );
    await fc.assert(
      fc.asyncProperty(
        uploads,
        subset(people),
        subset(ids),
        fc.boolean(),
        async (earlier, emails, product_ids, isWithdrawn) => {
          await db.query(
            `update access_grant set withdrawn_at = now(), withdrawn_by = 'x', withdraw_reason = 'x' where withdrawn_at is null`,
          );
          for (const [some, given, ends_on] of earlier)
            await uploadUsers(some, { product_ids: given, ends_on });
          const before = await listAccess(ids, people);
          const { id } = await uploadUsers(emails, { product_ids });
          const after = await listAccess(ids, people);
          const { rows: made } = await db.query<{ id: string }>(
            'select id from access_grant where import_id = $1 order by id limit 1',
            [id],
          );
          if (isWithdrawn && made[0])
            await withdrawGrant(
              db,
              { id: made[0].id, actor, reason: 'Mistake', revoke_code: false },
              TEST_IMPORT_TOOLS,
            );
          const { grants, people: count } = await preview(id);
          expect(grants).toBe(after.length - before.length - (isWithdrawn && made[0] ? 1 : 0));
          await undo(id, count);
          expect(await listAccess(ids, people)).toEqual(before);
        },
      ),
      { numRuns: db.engine === 'embedded' ? 12 : 25, seed: 20_261_125 },
    );
  });
});

describe('R-IMP-12: an upload of products', () => {
  test('is archived, but for products with codes or grants', async () => {
    const names = [1, 2, 3, 4].map((n) => `P${n} ${randomUUID()}`);
    const csvData = `name,description,url\n${names.map((name) => `${name},x,p.example`).join('\n')}\n`;
    const { id } = await importCsv(db, { kind: 'products', csvData, product_ids: [], actor }, tools());
    const { rows } = await db.query<{ product_id: string }>(
      'select product_id from product where name = any($1) order by name',
      [names],
    );
    const [first, second] = rows.map(({ product_id }) => product_id);
    await uploadUsers([email()], { product_ids: [first ?? ''] });
    const codes: Upload = { kind: 'coupons', csvData: 'code\nA\n', product_ids: [second ?? ''], actor };
    const upload = await importCsv(db, codes, tools());
    expect(await preview(id)).toMatchObject({ people: 0, products: 2, products_kept: 2 });
    await expect(undo(id, 1)).rejects.toMatchObject({ code: 'count_changed' });
    const job_id = await undo(id, 2);
    expect(await findJobState(db, job_id, 0)).toMatchObject({ state: 'done', results: { products: 2 } });
    expect(await undo(id, 2)).toBe(job_id);
    const { rows: left } = await db.query(
      'select archived_at is null as open from product where name = any($1) order by name',
      [names],
    );
    expect(left.map(({ open }) => open)).toEqual([true, true, false, false]);
    await expect(undo(upload.id, 1)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(undo(job_id, 1)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(undo(randomUUID(), 1)).rejects.toMatchObject({ code: 'not_found' });
    const checked = await importCsv(
      db,
      { ...codes, kind: 'users', csvData: 'mail\na@b.co\n', check: true },
      tools(),
    );
    await expect(undo(checked.id, 1)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
