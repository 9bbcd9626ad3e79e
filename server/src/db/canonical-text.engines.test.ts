// Tests the SQL function canonical_key, which returns the same key for texts that look the same.
import { canonicalKey } from '@portal/contract';
import { expect, onTestFinished, test } from 'vitest';
import { openTestDatabase } from '../../test/open-test-database.ts';

test('R-MAP-01: the database finds the same canonical form as the program, for every character', async () => {
  const db = await openTestDatabase();
  onTestFinished(() => db.close());
  // Skips large blocks of similar characters: ideographs, syllables, private-use and unassigned characters.
  const blocks = [
    [0x1, 0x33ff],
    [0xa000, 0xabff],
    [0xf900, 0x16fff],
    [0x1b000, 0x1ffff],
    [0x2f800, 0x2fa1f],
    [0xe0000, 0xe0fff],
  ];
  const { rows } = await db.query<{ code: number; canonical: string }>(
    `select code, canonical from unnest($1::int[], $2::int[]) block (first, last)
       cross join lateral generate_series(first, last) code
       cross join lateral (select 'E' || chr(code) || 'x') given (text)
       cross join lateral (select canonical_key(text) offset 0) c (canonical)
     where canonical <> text order by code`,
    [blocks.map(([first]) => first), blocks.map(([, last]) => last)],
  );
  const codes = blocks.flatMap(([first = 0, last = 0]) =>
    Array.from({ length: last - first + 1 }, (_, at) => first + at),
  );
  const expected = codes.flatMap((code) => {
    const text = `E${String.fromCodePoint(code)}x`;
    const canonical = canonicalKey(text);
    return canonical === text ? [] : [{ code, canonical }];
  });
  expect(rows).toEqual(expected);
});
