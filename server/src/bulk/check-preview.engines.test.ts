// Tests with random files that the preview of a check equals the result of the import.
import type { CsvKind } from '@portal/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { addCodesOfAllKinds, comparePreview } from '../../test/check-kit.ts';
import { addLearner, addProduct } from '../../test/factories.ts';
import { openTestDatabase } from '../../test/open-test-database.ts';
import { createUploadTools } from '../../test/test-jobs.ts';
import type { Database } from '../db/database.ts';
import { importCsv, startChecked, type Upload } from './uploads.ts';

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

const actor = 'staff@example.org';
const check = (kind: CsvKind, csvData: string, more: Partial<Upload>) =>
  importCsv(db, { kind, csvData, product_ids: [], actor, check: true, ...more }, createUploadTools(db));
const start = (id: string) => startChecked(db, { id, actor }, createUploadTools(db));
const lines = (...cells: string[]) => `${cells.join('\n')}\n`;

describe('R-IMP-01: the preview equals the result, whatever the file', () => {
  const code = fc.oneof(
    fc.constantFrom('', '""', 'OLD', 'GONE', 'DEAD', ' OLD ', '"A,1"', 'x'.repeat(256), 'bad\u0007', "'=1"),
    fc.integer({ min: 0, max: 6 }).map((n) => `C${n}`),
  );
  const day = fc.constantFrom('', '2999-01-01', '2001-01-01', 'soon');
  const seed = 20_261_125;

  test('codes', async () => {
    const row = fc.tuple(code, day, fc.constantFrom('', 'note'));
    const file = fc.record({
      rows: fc.array(row, { maxLength: 30 }),
      separator: fc.constantFrom(',', ';', '\t'),
      end: fc.constantFrom('\n', '\r\n', '\r'),
      mark: fc.constantFrom('', '\uFEFF'),
      blanks: fc.constantFrom('skip' as const, 'generate' as const, undefined),
      shared: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(file, async ({ rows, separator, end, mark, blanks, shared }) => {
        const { product_id } = shared
          ? await addProduct(db, { shared_coupon: true })
          : await addCodesOfAllKinds(db);
        const csv =
          mark + [['code', 'use_by', 'note'], ...rows].map((cells) => cells.join(separator)).join(end);
        const { id } = await check('coupons', csv, { product_ids: [product_id], blanks });
        comparePreview(await start(id));
      }),
      { numRuns: db.engine === 'embedded' ? 40 : 60, seed },
    );
  });

  test('people', async () => {
    const product = await addProduct(db);
    const [known, without] = [await addLearner(db, [product]), await addLearner(db, [])];
    const cell = fc.constantFrom(
      known.email,
      without.email,
      'n1@example.org',
      'N2@example.org',
      'n3@example.org',
      'x',
    );
    const file = fc.array(fc.tuple(cell, fc.constantFrom('', 'Name'), fc.constantFrom('', 'PAY')), {
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(
        file,
        fc.constantFrom(undefined, '2001-01-01', '2999-01-01'),
        async (rows, ends_on) => {
          const some = await addProduct(db);
          const csv = lines('email;name;payment_id', ...rows.map((cells) => cells.join(';')));
          const product_ids = [product.product_id, some.product_id, some.product_id];
          const days = ends_on === undefined ? {} : { starts_on: '2000-01-01', ends_on };
          const { id } = await check('users', csv, { product_ids, ...days });
          comparePreview(await start(id));
        },
      ),
      { numRuns: 30, seed },
    );
  });
});
