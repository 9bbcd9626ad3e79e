// Tests that only the uploader reads full codes if codes are hidden, and the audit lines about downloads.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addProduct } from '../../test/factories.ts';
import { openTestApp } from '../../test/open-test-app.ts';

type Staff = 'manager' | 'owner';

async function open(codesMasked: boolean) {
  const portal = await openTestApp({ codesMasked });
  const signIn = (role: Staff) => portal.signInAdmin(`${role}@example.org`, role);
  const tokens = { manager: await signIn('manager'), owner: await signIn('owner') };
  return {
    portal,
    get: (who: Staff, url: string) => portal.call('GET', url, { token: tokens[who] }),
    post: (who: Staff, url: string, body: unknown) => portal.call('POST', url, { token: tokens[who], body }),
  };
}

let off: Awaited<ReturnType<typeof open>>;
let on: Awaited<ReturnType<typeof open>>;
beforeAll(async () => {
  off = await open(false);
  on = await open(true);
});
afterAll(async () => {
  await off.portal.close();
  await on.portal.close();
});

describe('R-IMP-46: the codes of an upload', () => {
  const FILES = ['errors', 'duplicates', 'generated'];

  /** Checks or imports a file with two invalid rows, a duplicate and a blank code, as a manager. */
  async function upload({ portal, post }: typeof on, more: object = {}) {
    const { product_id } = await addProduct(portal.db, { codes: ['KNOWN-0001-AAAA'] });
    const rows = [
      'KNOWN-0001-AAAA,',
      'FRESH-0002-BBBB,2999-12-31',
      'WRONG-0003-CCCC,soon',
      ',SWAPPED-04-DDDD',
    ];
    const csvData = `coupon_code,use_by\n${rows.join('\n')}\n,2999-12-31\n`;
    const body = { productId: product_id, csvData, file_name: 'f.csv', ...more };
    const { body: reply } = await post('manager', '/api/admin/coupons/bulk', body);
    const { import_id } = reply as { import_id: string };
    const { rows: made } = await portal.db.query<{ coupon_code: string }>(
      'select cells[1] as coupon_code from import_row where import_id = $1 and kind = $2',
      [import_id, 'generated'],
    );
    return { import_id, product_id, reply, generated: made.map(({ coupon_code }) => coupon_code) };
  }

  const readFiles = async ({ get }: typeof on, who: Staff, id: string) => {
    const read = async (name: string) =>
      String((await get(who, `/api/admin/imports/${id}/${name}.csv`)).body);
    return Promise.all(FILES.map(read));
  };
  const PLAIN = /KNOWN-|FRESH-|WRONG-|SWAPPED-/;

  test('with CODES_MASKED=on are in full for the uploader only; everybody else gets hints, in each reply and file', async () => {
    const { import_id, generated } = await upload(on);
    expect(generated).toHaveLength(1);
    const own = (await readFiles(on, 'manager', import_id)).join('');
    for (const code of [...generated, 'KNOWN-0001-AAAA', 'WRONG-0003-CCCC', 'SWAPPED-04-DDDD'])
      expect(own).toContain(code);
    const [errors, duplicates, made] = await readFiles(on, 'owner', import_id);
    expect(errors).toMatch(/\n••••CCCC,••••,4,use_by was not/);
    expect(errors).toMatch(/\n,••••DDDD,5,/);
    expect(duplicates).toContain('\n••••AAAA,,2,This code exists already');
    for (const code of generated) expect(made).not.toContain(code);
    expect(made).toMatch(/\n••••\w{4},2999-12-31,6\r\n$/);
    const url = `/api/admin/imports/${import_id}`;
    const cancel = await on.post('owner', `${url}/cancel`, {});
    for (const { body } of [await on.get('owner', url), await on.get('owner', '/api/admin/imports'), cancel])
      expect(JSON.stringify([errors, duplicates, made, body])).not.toMatch(PLAIN);
    expect((await on.get('owner', url)).body).toMatchObject({
      errors: [{ row: 4, content: '' }, { row: 5 }],
    });
    expect((await on.get('manager', url)).body).toMatchObject({
      errors: [{ content: 'WRONG-0003-CCCC, soon' }, {}],
    });
  });

  test('of a checked file stay those of its uploader, also if somebody else imports it', async () => {
    const { import_id, reply } = await upload(on, { check: true });
    expect(JSON.stringify(reply)).toMatch(PLAIN);
    const url = `/api/admin/imports/${import_id}`;
    const checked = (await on.get('owner', url)).body;
    expect(checked).toMatchObject({ sample: [{ coupon_code: '••••AAAA', use_by: '' }, {}, {}, {}, {}] });
    const { body: started } = await on.post('owner', `${url}/start`, {});
    expect(started).toMatchObject({
      errors: [
        { row: 4, content: '' },
        { row: 5, content: '' },
      ],
    });
    const files = await readFiles(on, 'owner', import_id);
    const { rows } = await on.portal.db.query<{ coupon_code: string }>(
      "select cells[1] as coupon_code from import_row where import_id = $1 and kind = 'generated'",
      [import_id],
    );
    expect(rows).toHaveLength(1);
    for (const { coupon_code } of rows) {
      expect(files.join('')).not.toContain(coupon_code);
      expect((await readFiles(on, 'manager', import_id)).join('')).toContain(coupon_code);
    }
    expect(JSON.stringify([checked, started, files])).not.toMatch(PLAIN);
  });

  test('belong to the person who uploaded them, not to the next one with the same address', async () => {
    const { import_id } = await upload(on);
    // The uploader now has a new address, and somebody else has the old one.
    await on.portal.db.query("update bulk_job set created_by = 'owner@example.org' where id = $1", [
      import_id,
    ]);
    expect((await readFiles(on, 'owner', import_id)).join('')).not.toMatch(PLAIN);
    expect((await readFiles(on, 'manager', import_id)).join('')).toMatch(PLAIN);
  });

  test('of an import of an earlier version, which names no uploader, are hidden from everybody', async () => {
    const { import_id } = await upload(on);
    await on.portal.db.query("update bulk_job set detail = detail - 'uploader' where id = $1", [import_id]);
    for (const who of ['manager', 'owner'] as const)
      expect((await readFiles(on, who, import_id)).join('')).not.toMatch(PLAIN);
  });

  test('are not named by the reason of a file that was refused', async () => {
    const { product_id } = await addProduct(on.portal.db);
    const file = {
      productId: product_id,
      csvData: 'FIRST-0001-AAAA,x\nKNOWN-1,y\n',
      import_id: randomUUID(),
    };
    expect((await on.post('manager', '/api/admin/coupons/bulk', file)).status).toBe(400);
    const url = `/api/admin/imports/${file.import_id}`;
    expect((await on.get('manager', url)).body).toMatchObject({
      reason: expect.stringContaining('FIRST-0001'),
    });
    expect((await on.get('owner', url)).body).toMatchObject({
      reason: "The CSV file has no column 'coupon_code'",
    });
  });

  test('are in full for each manager without the setting; the log names each file of codes that is read, and its rows', async () => {
    for (const portal of [off, on]) {
      const { import_id, product_id } = await upload(portal);
      const files = await readFiles(portal, 'owner', import_id);
      if (portal === off) expect(files.join('')).toMatch(/WRONG-0003-CCCC,soon[\s\S]*KNOWN-0001-AAAA/);
      const { rows } = await portal.portal.db.query(
        "select actor, product_id, detail from audit where action = 'export.file' and detail ->> 'import_id' = $1 order by detail ->> 'file'",
        [import_id],
      );
      const counts = { duplicates: 1, errors: 2, generated: 1 };
      expect(rows).toEqual(
        Object.entries(counts).map(([file, count]) => ({
          ...{ actor: 'owner@example.org', product_id },
          detail: { import_id, file, rows: count },
        })),
      );
    }
  });

  test('a file about people has no codes, so reading it is not in the log as one', async () => {
    const { product_id } = await addProduct(on.portal.db);
    const { body } = await on.post('manager', '/api/admin/users/bulk', {
      ...{ product_ids: [product_id], csvData: 'email,name\nnone,Ann\n' },
    });
    const { import_id } = body as { import_id: string };
    expect((await readFiles(on, 'owner', import_id))[0]).toContain('none,Ann');
    const { rows } = await on.portal.db.query(
      "select from audit where detail ->> 'import_id' = $1 and action = 'export.file'",
      [import_id],
    );
    expect(rows).toEqual([]);
  });
});
