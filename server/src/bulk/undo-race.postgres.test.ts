// Tests the undo of an upload while somebody else gives the same access. Only PostgreSQL has several connections.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addProduct, utcToday } from '../../test/factories.ts';
import { addCohort } from '../../test/lifecycle.ts';
import { openTestDatabase } from '../../test/open-test-database.ts';
import { createUploadTools, TEST_IMPORT_TOOLS } from '../../test/test-jobs.ts';
import type { Database } from '../db/database.ts';
import { createGrants } from '../features/access/grants.ts';
import { addMembers } from '../features/cohorts/members.ts';
import { saveUser } from '../features/people/person.ts';
import { voidBatch } from './batch-acts.ts';
import { undoImport } from './undo.ts';
import { importCsv } from './uploads.ts';

const actor = 'staff@example.org';
const ROUNDS = 4;
const PEOPLE = 40;
const LAST_DAY = '2999-12-31';

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

const tools = () => createUploadTools(db);
const upload = (
  emails: readonly string[],
  product_ids: string[],
  cohort_id: string | undefined,
  ends_on: string | null = null,
) =>
  importCsv(
    db,
    {
      kind: 'users',
      csvData: `email,payment_id\n${emails.map((who) => `${who},P-1`).join('\n')}\n`,
      product_ids,
      cohort_id,
      ends_on,
      actor,
    },
    tools(),
  );
const undo = (id: string) => undoImport(db, { id, actor, expected: PEOPLE }, tools());

/** Returns how many of the people have a standing grant of the product, and how many are in the cohort. */
async function count(product_id: string, cohort_id: string) {
  const { rows } = await db.query<{ grants: number; members: number }>(
    `select (select count(*)::int from access_grant where product_id = $1 and withdrawn_at is null) as grants,
       (select count(*)::int from cohort_member where cohort_id = $2) as members`,
    [product_id, cohort_id],
  );
  return rows[0];
}

async function listLastDays(product_id: string): Promise<(string | null)[]> {
  const { rows } = await db.query<{ ends_on: string | null }>(
    'select distinct ends_on from access_grant where product_id = $1 and withdrawn_at is null',
    [product_id],
  );
  return rows.map(({ ends_on }) => ends_on);
}

test('R-IMP-28: of an upload that is taken back while another gives the same, everything is the other’s', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { product_id } = await addProduct(db);
    const cohort_id = await addCohort(db, []);
    const emails = Array.from({ length: PEOPLE }, (_, n) => `${n}-${randomUUID()}@race.example`);
    const into = round % 2 ? cohort_id : undefined;
    const a = await upload(emails, [product_id], into);
    const [b] = await Promise.all([upload(emails.toReversed(), [product_id], into, LAST_DAY), undo(a.id)]);
    const members = into === undefined ? 0 : PEOPLE;
    expect(await count(product_id, cohort_id)).toEqual({ grants: PEOPLE, members });
    expect(await listLastDays(product_id)).toEqual([LAST_DAY]);
    await undo(b.id);
    expect(await count(product_id, cohort_id)).toEqual({ grants: 0, members: 0 });
  }
});

test('R-IMP-28: what staff give by hand meanwhile stays', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { product_id } = await addProduct(db);
    const cohort_id = await addCohort(db, []);
    const emails = Array.from({ length: PEOPLE }, (_, n) => `${n}-${randomUUID()}@race.example`);
    const { id } = await upload(emails, [product_id], cohort_id);
    const [single = '', ...others] = emails.slice(0, PEOPLE / 2).toReversed();
    const person = { email: single, name: null, phone_number: null, starts_on: null, ends_on: null };
    const user = { ...person, product_ids: [product_id], cohort_ids: [cohort_id] };
    const given = { product_ids: [product_id], starts_on: null, ends_on: null };
    await Promise.all([
      undo(id),
      saveUser(db, { actor, user, today: utcToday() }),
      addMembers(db, { cohort_id, actor, emails: others }),
      ...others
        .slice(0, 3)
        .map((email) => createGrants(db, { actor, given: { ...given, email } }, TEST_IMPORT_TOOLS)),
    ]);
    expect(await count(product_id, cohort_id)).toEqual({ grants: 4, members: PEOPLE / 2 });
  }
});

test('R-IMP-28: two uploads of the same people are taken back at once: nothing is left', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { product_id } = await addProduct(db);
    const cohort_id = await addCohort(db, []);
    const emails = Array.from({ length: PEOPLE }, (_, n) => `${n}-${randomUUID()}@race.example`);
    const a = await upload(emails, [product_id], cohort_id);
    const b = await upload(emails.toReversed(), [product_id], cohort_id);
    await Promise.all([undo(b.id), undo(a.id)]);
    expect(await count(product_id, cohort_id)).toEqual({ grants: 0, members: 0 });
  }
});

test('R-IMP-28: of two uploads of codes, one is taken back while the other comes, or both at once', async () => {
  const voidAll = (id: string | null) => {
    const order = { id: id ?? '', actor, expected: PEOPLE, reason: 'mistake' as const, note: null };
    return voidBatch(db, order, tools());
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    const { product_id } = await addProduct(db);
    const codes = Array.from({ length: PEOPLE }, (_, n) => `${n}-${randomUUID()}`);
    const add = (some: readonly string[]) => {
      const csvData = `coupon_code\n${some.join('\n')}\n`;
      return importCsv(db, { kind: 'coupons', csvData, product_ids: [product_id], actor }, tools());
    };
    const countFree = async () => {
      const { rows } = await db.query<{ free: number }>(
        'select count(*)::int as free from coupon where product_id = $1 and voided_at is null',
        [product_id],
      );
      return rows[0]?.free;
    };
    const a = await add(codes);
    const [b] = await Promise.all([add(codes.toReversed()), voidAll(a.batch_id)]);
    expect(await countFree()).toBe(PEOPLE);
    const c = await add(codes);
    await Promise.all([voidAll(c.batch_id), voidAll(b.batch_id)]);
    expect(await countFree()).toBe(0);
  }
});
