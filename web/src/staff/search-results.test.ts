import type { Found, FoundCode } from '@portal/contract';
import { describe, expect, test } from 'vitest';
import { listGroups, markWords } from './search-results.tsx';

const person = (name: string | null, email: string) => ({
  ...{ user_id: `id of ${email}`, email, name },
  mails_refused: false,
});
const product = (name: string) =>
  ({
    product_id: name,
    name,
    url: 'partner.example',
    logo: null,
    status: 'live',
    total: 1,
    left: 1,
  }) as const;
const code = (more: Partial<FoundCode>): FoundCode => ({
  id: '7',
  hint: 'LQ27',
  product: { product_id: 'p', name: 'Tarnquill' },
  state: 'held',
  unconfirmed: false,
  holder: person('Jonas', 'jonas@example.org'),
  ...more,
});
const found = (more: Partial<Found>): Found => ({ people: [], code: null, products: [], ...more });
const labels = (of: Found, q: string) => listGroups(of, q).map(({ label }) => label);
const rowOf = (of: FoundCode) => listGroups(found({ code: of }), 'TQWL 1')[0]?.rows[0];

describe('groups', () => {
  test('empty groups are left out, and the group with the best match comes first', () => {
    expect(labels(found({}), 'vel')).toEqual([]);
    const people = [person('Iris Velasco', 'iris@example.org')];
    const products = [product('Velloquy')];
    expect(labels(found({ people, products }), 'vel')).toEqual(['Products', 'People']);
    expect(labels(found({ people, products, code: code({}) }), 'vel')).toEqual([
      'Code',
      'Products',
      'People',
    ]);
    // Equally good matches keep the usual order. A whole match is better than the beginning.
    expect(labels(found({ people, products: [product('Iris')] }), 'ir')).toEqual(['People', 'Products']);
    expect(labels(found({ people, products: [product('Iris')] }), 'iris')).toEqual(['Products', 'People']);
  });

  test('a person without a name has the address as name', () => {
    const people = [person('Lina', 'lina@example.org'), person(' ', 'lin@example.org')];
    expect(listGroups(found({ people }), 'lin')[0]?.rows).toMatchObject([
      { name: 'Lina', hint: 'lina@example.org', path: '/admin/users/id%20of%20lina%40example.org' },
      { name: 'lin@example.org', hint: null },
    ]);
  });

  test('R-DAY-34: a code opens its own page, with and without a holder', () => {
    expect(rowOf(code({}))).toMatchObject({
      name: '••••LQ27',
      hint: 'Tarnquill, held by Jonas',
      path: '/admin/coupons/7',
    });
    expect(rowOf(code({ state: 'free', holder: null, hint: null }))).toMatchObject({
      name: '••••',
      hint: 'Tarnquill, available',
      path: '/admin/coupons/7',
    });
    const words = (state: FoundCode['state'], holder: FoundCode['holder']) =>
      rowOf(code({ state, holder }))?.hint;
    expect(words('held', null)).toBe('Tarnquill, held by several people');
    expect(words('void', null)).toBe('Tarnquill, void');
    expect(words('revoked', person(null, 'a@b.example'))).toBe('Tarnquill, revoked, was held by a@b.example');
    expect(words('revoked', null)).toBe('Tarnquill, revoked, was held by several people');
  });
});

const marked = (text: string, q: string) =>
  markWords(text, q)
    .map(({ text: part, isMatch }) => (isMatch ? `[${part}]` : part))
    .join('');

test.each([
  ['Jonas Lindqvist', 'LIN', 'Jonas [Lin]dqvist'],
  ['Jonas Lindqvist', 'lind jo', '[Jo]nas [Lind]qvist'],
  ['jonas.l@acme.example', 'jonas acme', '[jonas].l@[acme].example'],
  ['jonas.l@acme.example', 'jonas.l@ac', '[jonas].[l]@[ac]me.example'],
  ['Berlin', 'lin', 'Berlin'],
  ["Sinéad O'Neil", 'sine neil', "[Siné]ad O'[Neil]"],
  ['Sine\u0301ad', 'sine', '[Sine\u0301]ad'],
  ['Straße', 'strass', '[Straß]e'],
  ['Øystein', 'oys', '[Øys]tein'],
  ['Jürgen Müller', 'muell jürg', '[Jürg]en [Müll]er'],
  ['Juergen Mueller', 'müll', 'Juergen [Muell]er'],
  ['Mu\u0308ller', 'muell', '[Mu\u0308ll]er'],
  ['Murr', 'mü', '[Mu]rr'],
  ['Işıl Yıldız', 'isil yil', '[Işıl] [Yıl]dız'],
  ['Þóra Ægisdóttir', 'thora ae', '[Þóra] [Æ]gisdóttir'],
  ['Jonas', 'j jon', '[Jon]as'],
  ['Jonas', '', 'Jonas'],
  ['Jonas', '. -', 'Jonas'],
  ['', 'jo', ''],
])('R-FIND-01: %s, searched for %s', (text, q, expected) => {
  expect(marked(text, q)).toBe(expected);
  expect(
    markWords(text, q)
      .map((part) => part.text)
      .join(''),
  ).toBe(text);
});
