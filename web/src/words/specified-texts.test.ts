// Tests that the pages have the texts that the requirements quote, to the letter (specified-texts.txt).
// catalogue.test.ts makes sure that the keys of the German catalogue are exactly the texts of the pages, and those of
// the server's messages that pages show. So this test compares the keys.
import { counted, said, served } from '@portal/contract/german';
import { expect, test } from 'vitest';
import table from './specified-texts.txt?raw';

const sources: Record<string, string> = import.meta.glob(
  [
    '../**/*.{ts,tsx}',
    '../../../contract/src/*.ts',
    '../../../server/src/**/*.ts',
    '!../../../**/*.test.{ts,tsx}',
  ],
  { query: '?raw', import: 'default', eager: true },
);
const code = Object.values(sources).join('\n');

/** Values are written differently: 'N records' and '{total} records' are the same text. */
const withoutValues = (text: string) => text.replaceAll(/\{[^}]*\}|\b[NMWXYZ]\b/g, '{}');
const shown = new Set(Object.keys({ ...said, ...counted, ...served }).map(withoutValues));

const rows = table
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [number = '', text = '', way = 'page'] = line.split(' | ');
    return { number, text, way };
  });

/** Returns the parts of a row that neither the pages nor the code have. */
function listMissing({ number, text, way }: (typeof rows)[number]): string[] {
  if (way === 'code') return code.includes(text) ? [] : [`${number}: ${text}`];
  if (way.startsWith('R-')) {
    const start = text.replace(/\.\.\.$/, '');
    const whole = rows.some((row) => row.number === way && row.text.startsWith(start));
    return whole ? [] : [`${number}: ${text}`];
  }
  const parts = way === 'A-57' ? text.split(': ') : [text];
  return parts.filter((part) => !shown.has(withoutValues(part))).map((part) => `${number}: ${part}`);
}

test('R-ERR-04, R-ERR-24, R-ERR-28, N-119: each text that the requirements quote is a text of the pages, to the letter', () => {
  expect(rows.length).toBeGreaterThan(200);
  expect(rows.flatMap(listMissing)).toEqual([]);
});
