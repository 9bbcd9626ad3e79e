// Tests failed uploads: staff retry or cancel one of them, on its page and in its summary.
import { randomBytes } from 'node:crypto';
import { type ImportState, retryFailedJobs } from '@portal/contract';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHUNK_ROWS } from '../server/src/bulk/read-file.ts';
import type { Database } from '../server/src/db/database.ts';
import { openPostgres } from '../server/src/db/open-postgres.ts';
import { type PostgresServer, startPostgres } from '../server/test/postgres.ts';
import { arriveSignedIn, keepPerson, see } from './harness/browser.ts';
import { setOwnFixture } from './harness/fixture.ts';
import { ADMIN_EMAIL } from './harness/portal.ts';

const REASON = 'out of ink';

let server: PostgresServer;
let db: Database;
// This hook is registered before those of the fixture, so it runs after the portal has stopped.
afterAll(async () => {
  await db?.close();
  await server?.stop();
});
// A test can make imports fail on a PostgreSQL server only: the embedded database belongs to the process of the portal.
const fixture = setOwnFixture(async () => {
  server = await startPostgres();
  return { DATABASE_URL: server.url, SECRET_KEY: randomBytes(32).toString('base64') };
});
const staff = keepPerson(fixture, (person) => arriveSignedIn(person, fixture, ADMIN_EMAIL, '/admin'));

beforeAll(async () => {
  db = await openPostgres({ url: server.url });
});

const button = (within: Page | Locator, name: string) => within.getByRole('button', { name, exact: true });

/** Makes the database refuse each code that begins with POISON, or accept all codes again. */
async function setPoison(isOn: boolean): Promise<void> {
  await db.execute(
    isOn
      ? `create function refuse_poison() returns trigger language plpgsql as $$
         begin raise exception '${REASON}'; end $$;
         create trigger refuse_poison before insert on coupon for each row when (new.coupon_code like 'POISON%')
           execute function refuse_poison();`
      : 'drop function if exists refuse_poison cascade',
  );
}

async function findUpload(file_name: string): Promise<ImportState | undefined> {
  const states = await fixture.admin.listImports();
  return states.find((state) => state.file_name === file_name);
}

const stateOf = async (file_name: string) => (await findUpload(file_name))?.state;

/** Makes the next try of each waiting import due now, and the last one. The real pauses add up to 8 minutes. */
async function endTries(): Promise<void> {
  await db.query("update job set tries = 5, due_at = now() where kind = 'import' and state = 'waiting'");
}

/** Uploads codes, the last of which fails, and waits until the import has failed. Only its first chunk is imported. */
async function failUpload(name: string): Promise<{ id: string; batch_id: string }> {
  const product = await fixture.admin.addProduct({ name });
  const file_name = `${name}.csv`;
  const codes = Array.from({ length: CHUNK_ROWS.postgres }, (_, index) => `${name}-${index}`);
  const lines = ['code', ...codes, `POISON-${name}`];
  // The first try runs within the request.
  await expect(fixture.admin.importFile(product, file_name, ...lines)).rejects.toThrow('The import goes on');
  await endTries();
  await expect.poll(() => stateOf(file_name)).toBe('failed');
  const { id = '', batch_id } = (await findUpload(file_name)) ?? {};
  return { id, batch_id: batch_id ?? '' };
}

test('C-7, R-IMP-16: an upload that failed is tried again alone, and one that failed for the same reason stays', async () => {
  const { page } = staff;
  await setPoison(true);
  const { batch_id } = await failUpload('Ink');
  await failUpload('Quill');
  await page.goto(`/admin/coupons/uploads/${batch_id}`);
  const files = page.getByRole('region', { name: 'Imported rows' });
  await see(files, `Failed after 5,000 of 5,001 rows. Rows that were imported stay. ${REASON}`);
  await see(files, 'Cancelling deletes the file. To import the rest, you then upload it again.');

  await setPoison(false);
  await button(files, 'Try again').click();
  const summary = page.getByRole('region', { name: 'Ink.csv' });
  await see(summary, /^5,001 rows/);
  expect([
    await button(summary, 'Try again').count(),
    await button(summary, 'Cancel import').count(),
  ]).toEqual([0, 0]);
  expect([await stateOf('Ink.csv'), await stateOf('Quill.csv')]).toEqual(['done', 'failed']);
});

test('C-7, R-IMP-16: an upload that somebody else has tried again shows its progress, fails again, and is cancelled', async () => {
  const { page } = staff;
  await setPoison(true);
  const { id: import_id, batch_id } = await failUpload('Press');
  await page.goto(`/admin/coupons/uploads/${batch_id}`);
  const files = page.getByRole('region', { name: 'Imported rows' });
  await button(files, 'Try again').waitFor();

  const body = { kind: 'import', import_id };
  expect(await fixture.admin.call(retryFailedJobs, { body })).toEqual({ retried: 1 });
  // The first of the new tries fails too, so the import waits for the next one.
  await button(files, 'Try again').click();
  await page.getByRole('progressbar', { name: 'Import of Press.csv' }).waitFor();
  await expect
    .poll(
      async () =>
        (await db.query("select 1 from job where key = $1 and state = 'waiting' and tries > 0", [import_id]))
          .rows,
    )
    .toHaveLength(1);
  await endTries();

  // The summary of the upload has the same buttons.
  const summary = page.getByRole('region', { name: 'Press.csv' });
  await see(summary, /^Failed after 5,000 of 5,001 rows\./);
  await button(summary, 'Cancel import').click();
  await see(summary, /^Cancelled after 5,000 of 5,001 rows\./);
  await button(summary, 'Take back this upload').waitFor();
  expect(await stateOf('Press.csv')).toBe('cancelled');
});
