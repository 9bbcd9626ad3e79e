import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { dayField, inOrder, keyLine, line, orNull, page, reason, text } from './fields.ts';

const FAULT = 'from must be a day such as 2026-12-31';
const faultsOf = (schema: z.ZodMiniType, value: unknown) =>
  (schema.safeParse(value).error?.issues ?? []).map(({ message }) => message);

test.each(['2000-01-01', '2024-02-29', '2026-12-31', '2999-12-31', ' 2026-07-01 '])(
  'C-4: %s is a day',
  (value) => {
    expect(dayField('from').parse(value)).toBe(value.trim());
  },
);

test.each([
  ...[
    '1999-12-31',
    '3000-01-01',
    '0000-00-00',
    '2026-02-29',
    '2026-02-30',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
  ],
  ...[
    '2026-1-1',
    '2026-12-1',
    '26-12-31',
    '31.12.2026',
    '2026/12/31',
    '20261231',
    '2026-12-31T00:00:00Z',
    '2026-12-31 1',
  ],
  ...[
    '+002026-12-31',
    '２０２６-12-31',
    'tomorrow',
    'infinity',
    '',
    20261231,
    true,
    null,
    undefined,
    {},
    ['2026-12-31'],
  ],
])('C-4: %j is no day, and the message names the field', (value) => {
  expect(faultsOf(dayField('from'), value)).toEqual([FAULT]);
});

test('C-4: a blank day means none where none is allowed', () => {
  const schema = orNull(dayField('until'));
  expect(['', ' ', null, undefined].map((value) => schema.parse(value))).toEqual([null, null, null, null]);
  expect(faultsOf(schema, '2026-02-30')).toEqual(['until must be a day such as 2026-12-31']);
});

test('C-4: the end must not be before the start; a missing day has no order', () => {
  const schema = z
    .object({ from: orNull(dayField('from')), until: orNull(dayField('until')) })
    .check(inOrder('from', 'until'));
  expect(faultsOf(schema, { from: '2026-02-02', until: '2026-02-01' })).toEqual([
    'until must not be before from',
  ]);
  for (const days of [
    { from: '2026-02-01', until: '2026-02-01' },
    { from: '2026-02-02', until: null },
    { from: null, until: '2026-02-01' },
  ])
    expect(schema.parse(days)).toEqual(days);
});

test('C-9: a reason is a line of 3 to 200 characters', () => {
  expect(reason.parse(' left the course ')).toBe('left the course');
  expect(faultsOf(reason, undefined)).toEqual(['reason is required']);
  expect(faultsOf(reason, 'no')).toEqual(['reason must be at least 3 characters']);
  expect(faultsOf(reason, 'x'.repeat(201))).toEqual(['reason must be at most 200 characters']);
  expect(faultsOf(reason, 'a\u0007bell')).toEqual(['reason must not contain control characters']);
  // N-301
  expect(reason.parse('two\nlines')).toBe('two lines');
});

test.each([
  ['a name', line('name', 20), 'Le\u200Ba\u00A0B\u2028C', 'Lea B C'],
  ['a code', keyLine('code', 20), '\uFEFFＡ-\u00AD1', 'A-1'],
  ['a text of several lines', text('note', 20), ' One\u200B\r\ntwo\u00A0\uFEFF', 'One\r\ntwo'],
  ['a search', page.q, 'Ａ\u200Bb', 'Ab'],
  ['a day', dayField('from'), '2026-07-\u200B01\u00A0', '2026-07-01'],
])('R-MAP-01: %s of a call is canonical', (_what, schema, typed, canonical) => {
  expect(schema.parse(typed)).toBe(canonical);
});
