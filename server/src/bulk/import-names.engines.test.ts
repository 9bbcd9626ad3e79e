// Tests the names of people in a file: blank names of new and known people, and `update_names`.
import type { CheckedFile, ImportState } from '@portal/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addProduct } from '../../test/factories.ts';
import { openTestApp, type TestApp } from '../../test/open-test-app.ts';
import { CHUNK_ROWS } from './read-file.ts';

let portal: TestApp;
let manager: string;
let product_id: string;
beforeAll(async () => {
  portal = await openTestApp();
  manager = await portal.signInAdmin('manager@example.org', 'manager');
  ({ product_id } = await addProduct(portal.db));
});
afterAll(() => portal.close());

const post = (url: string, body: object = {}) => portal.call('POST', url, { token: manager, body });

/** Checks the file, imports it, and returns the counts of the check, the results and the state. */
async function importNames(rows: readonly string[], more: object = {}) {
  const csvData = ['email,name', ...rows, ''].join('\n');
  const checked = await post('/api/admin/users/bulk', {
    ...{ csvData, product_ids: [product_id], check: true },
    ...more,
  });
  const { import_id, preview } = checked.body as CheckedFile;
  const { body } = await post(`/api/admin/imports/${import_id}/start`);
  const { results } = body as { results: ImportState['results'] };
  const state = await portal.call('GET', `/api/admin/imports/${import_id}`, { token: manager });
  expect((state.body as ImportState).results).toMatchObject(results ?? {});
  return { import_id, preview, results };
}

async function nameOf(email: string): Promise<string | null | undefined> {
  const { rows } = await portal.db.query<{ name: string | null }>(
    'select name from app_user where email = $1',
    [email],
  );
  return rows[0]?.name;
}

test('R-MAP-24: a blank name is no error: a new person gets none and is counted, a known person keeps theirs', async () => {
  await importNames(['known@b.co,Known']);
  const rows = ['new@b.co,', 'new2@b.co,\u200B', 'named@b.co,Named', 'known@b.co,', 'NEW@b.co,Later'];
  const { preview, results } = await importNames(rows);
  expect(preview).toMatchObject({ new: 3, duplicate: 1, in_file_twice: 1, invalid: 0, without_name: 2 });
  expect(results).toMatchObject({ success: 3, duplicates: 2, failures: 0, without_name: 2, renamed: 0 });
  expect(await nameOf('known@b.co')).toBe('Known');
  expect(await nameOf('new@b.co')).toBeNull();
});

test('R-MAP-24: names of known people stay, unless update_names is true; a blank name and a member of the team keep theirs', async () => {
  await importNames(['ann@b.co,Ann', 'bo@b.co,Bo', 'cy@b.co,Cy']);
  const rows = ['ann@b.co,Anna', 'bo@b.co,', 'cy@b.co,Cy', 'fay@b.co,Fay', 'manager@example.org,Boss'];
  const before = await nameOf('manager@example.org');
  expect(await importNames(rows)).toMatchObject({ preview: { renamed: 0 }, results: { renamed: 0 } });
  expect(await nameOf('ann@b.co')).toBe('Ann');
  const { preview, results, import_id } = await importNames(rows, { update_names: true });
  expect(preview.renamed).toBe(1);
  expect(results?.renamed).toBe(1);
  const names = await Promise.all(['ann', 'bo', 'cy', 'fay'].map((name) => nameOf(`${name}@b.co`)));
  expect(names).toEqual(['Anna', 'Bo', 'Cy', 'Fay']);
  expect(await nameOf('manager@example.org')).toBe(before);
  const { rows: lines } = await portal.db.query(
    "select actor, detail from audit where action = 'user.edit' and detail ->> 'import_id' = $1",
    [import_id],
  );
  expect(lines).toEqual([{ actor: 'manager@example.org', detail: { import_id, name: ['Ann', 'Anna'] } }]);
  expect((await post('/api/admin/users/bulk', { csvData: 'a', update_names: 'yes' })).status).toBe(400);
});

test('R-MAP-24: of several rows of one person the first one counts, also in a later chunk', async () => {
  await importNames(['two@b.co,Two']);
  const fill = Array.from({ length: CHUNK_ROWS.postgres }, () => 'fill@b.co,Fill');
  const rows = ['two@b.co,First', 'two@b.co,Second', 'one@b.co,', ...fill, 'two@b.co,Third', 'one@b.co,One'];
  const { preview, results } = await importNames(rows, { update_names: true });
  expect({ preview: preview.renamed, results: results?.renamed }).toEqual({ preview: 1, results: 1 });
  expect(await nameOf('two@b.co')).toBe('First');
  expect(await nameOf('one@b.co')).toBeNull();
});
