// Tests the files that writeXlsx makes: their parts, their sheets, and that they stop with their source.
import { strFromU8, unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { type Cells, writeXlsx } from './xlsx.ts';

async function read(steps: AsyncIterable<Cells[]>): Promise<Record<string, string>> {
  const parts: Uint8Array[] = [];
  for await (const part of writeXlsx(steps)) parts.push(part);
  const files = unzipSync(Buffer.concat(parts));
  return Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, strFromU8(bytes)]));
}

async function* stepsOf(...steps: Cells[][]): AsyncGenerator<Cells[]> {
  yield* steps;
}

const countRows = (xml = '') => xml.match(/<row /g)?.length;

test('N-305: all cells are texts, also those that look like numbers and formulas; empty cells are left out', async () => {
  const cells: Cells = ['00123', null, 7, '=1+1', '<&>"', ' a\r\u0001_x000D_\uFFFF'];
  const files = await read(stepsOf([['code', 'b', 'c']], [cells]));
  expect(Object.keys(files)).toEqual(
    expect.arrayContaining(['[Content_Types].xml', '_rels/.rels', 'xl/workbook.xml', 'xl/styles.xml']),
  );
  const sheet = files['xl/worksheets/sheet1.xml'] ?? '';
  const values = Array.from(
    sheet.matchAll(/<c r="(\w+)" s="\d" t="inlineStr"><is><t xml:space="preserve">(.*?)<\/t>/gs),
  );
  expect(values.map(([, at, text]) => [at, text])).toEqual([
    ...[
      ['A1', 'code'],
      ['B1', 'b'],
      ['C1', 'c'],
    ],
    ...[
      ['A2', '00123'],
      ['C2', '7'],
      ['D2', '=1+1'],
      ['E2', '&lt;&amp;&gt;"'],
    ],
    ['F2', ' a_x000D__x0001__x005F_x000D__xFFFF_'],
  ]);
  expect(sheet).not.toMatch(/<v>|<f>/);
});

test('N-305: rows that a sheet has no room for are on further sheets, under the names of the columns', async () => {
  const step = Array.from({ length: 5_000 }, (): Cells => ['A']);
  const files = await read(stepsOf([['code']], ...Array.from({ length: 201 }, () => step)));
  expect(countRows(files['xl/worksheets/sheet1.xml'])).toBe(1 + 199 * 5_000);
  expect(countRows(files['xl/worksheets/sheet2.xml'])).toBe(1 + 2 * 5_000);
  expect(files['xl/worksheets/sheet2.xml']).toContain('code');
  expect(files['xl/workbook.xml']).toContain('sheet name="Sheet2"');
  expect(countRows((await read(stepsOf([['code']])))['xl/worksheets/sheet1.xml'])).toBe(1);
});

test('R-IMP-21: the file breaks off with its source, and its source is closed with the file', async () => {
  async function* fail(): AsyncGenerator<Cells[]> {
    yield [['code']];
    yield [['A']];
    throw new Error('the database is gone');
  }
  await expect(read(fail())).rejects.toThrow('the database is gone');
  let isClosed = false;
  async function* endless(): AsyncGenerator<Cells[]> {
    try {
      for (let at = 0; ; at += 1) yield Array.from({ length: 1_000 }, () => [Math.random(), at]);
    } finally {
      isClosed = true;
    }
  }
  for await (const part of writeXlsx(endless())) if (part.length > 0) break;
  expect(isClosed).toBe(true);
});
