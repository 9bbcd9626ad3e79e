// Tests the search for people by words of name and address (R-FIND-01).
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import type { Database } from '../../db/database.ts';
import { countFoundUsers, searchUsers } from './search.sql.ts';

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

async function add(people: readonly (readonly [email: string, name: string | null])[]): Promise<void> {
  await db.query(
    `insert into app_user (email, name)
     select p ->> 0, p ->> 1 from jsonb_array_elements($1::jsonb) with ordinality as list(p, n) order by n`,
    [JSON.stringify(people)],
  );
}

const find = async (q: string, limit = 50) => (await searchUsers(db, { q, limit })).map(({ email }) => email);

describe('R-FIND-01: people are found by any words', () => {
  const JONAS = 'jonas.l@acme.example';
  const OTHERS = [
    'jon@lindens.example',
    'sinead_oneil+ai@post.example',
    'strasse@example.org',
    'x-ray@dash.example',
  ];
  beforeAll(() =>
    add([
      [JONAS, 'Jonas Lindqvist'],
      [OTHERS[0] ?? '', null],
      [OTHERS[1] ?? '', "Sinéad O'Neil-Ångström"],
      [OTHERS[2] ?? '', 'Øystein Straße'],
      [OTHERS[3] ?? '', 'Ξένια “Xen” Παπά'],
    ]),
  );

  test.each([
    ['lindqvist', [JONAS]],
    ['jonas lind', [JONAS]],
    ['lind acme', [JONAS]],
    ['LINDQ   Jon', [JONAS]],
    ['jonas.l@acme.example', [JONAS]],
    ['jon lind', [OTHERS[0], JONAS]],
    ['indqvist', []],
    ['jonas nobody', []],
    ['sinead angstrom', [OTHERS[1]]],
    ['ångström', [OTHERS[1]]],
    ['neil', [OTHERS[1]]],
    ["o'neil", [OTHERS[1]]],
    ['o’neil', [OTHERS[1]]],
    ['ai post', [OTHERS[1]]],
    ['oystein', [OTHERS[2]]],
    ['strasse', [OTHERS[2]]],
    ['STRAßE', [OTHERS[2]]],
    ['ray dash', [OTHERS[3]]],
    ['ξενια', [OTHERS[3]]],
    ['xen', [OTHERS[3]]],
    ['%', []],
    ['.', []],
    ["' & | ! : * \\", []],
    ['\\', []],
    ['lind:*', []],
  ])('%s', async (q, found) => {
    expect(await find(q)).toEqual(found);
    expect(await countFoundUsers(db, { q })).toEqual({ total: found.length, atLeast: false });
  });

  describe('R-MAP-41: a reader finds a name in the spelling of the own keyboard', () => {
    const NAMES = {
      mueller: 'Jürgen Müller',
      ascii: 'Juergen Mueller',
      turkish: 'Işıl YILDIZ İnci',
      thora: 'Þóra Ægisdóttir',
      coeur: 'Anne Lecœur-Weiß',
      suedstern: 'Otto SÜDSTERN',
      decomposed: 'Ho\u0308ß Ga\u0308rtner',
    };
    beforeAll(() => add(Object.entries(NAMES).map(([key, name]) => [`${key}@folds.example`, name])));
    test.each([
      ['müller folds', ['ascii', 'mueller']],
      ['MUELLER folds', ['ascii', 'mueller']],
      ['muller folds', ['mueller']],
      ['jürg folds', ['ascii', 'mueller']],
      ['juerg mü folds', ['ascii', 'mueller']],
      ['isil yildiz inci', ['turkish']],
      ['IŞIL yıldız', ['turkish']],
      ['thora aegis', ['thora']],
      ['Þora Ægisd', ['thora']],
      ['lecoeur weiss', ['coeur']],
      ['lecœur weiß', ['coeur']],
      ['suedst', ['suedstern']],
      ['su\u0308dst', ['suedstern']],
      ['hoess gaertner', ['decomposed']],
      ['höß', ['decomposed']],
      ['muellex', []],
    ])('%s', async (q, found) => {
      expect(await find(q)).toEqual(found.map((key) => `${key}@folds.example`));
    });
  });

  test('a new name and a new address are found at once, the old ones no longer', async () => {
    await add([['before@example.org', 'Ada Before']]);
    await db.query(
      "update app_user set name = 'Ada After', email = 'after@example.org' where name = 'Ada Before'",
    );
    expect(await find('ada before')).toEqual([]);
    expect(await find('before@')).toEqual([]);
    expect(await find('ada after')).toEqual(['after@example.org']);
  });

  test('whoever has exactly this address comes first, then the newest, over all pages', async () => {
    const emails = ['kim@page.example', 'kim@page.example.org', 'kim@page.example.com', 'kim+2@page.example'];
    await add(emails.map((email) => [email, 'Kim']));
    const walk = async (q: string, limit: number) => {
      const seen: string[] = [];
      for (let after: string | undefined, isLast = false; !isLast; ) {
        const page = await searchUsers(db, { q, limit, after });
        seen.push(...page.map(({ email }) => email));
        after = page.at(-1)?.cursor;
        isLast = page.length < limit;
      }
      return seen;
    };
    const newestFirst = emails.toReversed();
    for (const limit of [1, 2, 3, 50]) {
      expect(await walk('kim page', limit)).toEqual(newestFirst);
      expect(await walk('Kim@page.example', limit)).toEqual(['kim@page.example', ...newestFirst.slice(0, 3)]);
    }
    expect(await searchUsers(db, { q: 'kim@page.example', limit: 5, role: 'admin' })).toEqual([]);
  });
});

test('R-FIND-01: a search finds exactly the people of whom each word begins a word, also with very many of them', async () => {
  const SYLLABLES = ['an', 'ber', 'cé', 'dö', 'el', 'fi', "o'", 'x-'];
  const word = fc
    .array(fc.constantFrom(...SYLLABLES), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join(''));
  const person = fc.record({
    name: fc.option(fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '))),
    address: fc.array(word, { minLength: 1, maxLength: 2 }),
  });
  // Enough people that a search for a frequent prefix stops before it has read all matches.
  const people = fc
    .sample(person, { numRuns: 6_000, seed: 7 })
    .map(({ name, address }, n) => [`${address.join('.')}+${n}@many.example`, name] as const);
  await add(people);
  await db.execute('analyze app_user');
  const wordsOf = (text: string) =>
    text
      .normalize('NFKD')
      .replace(/[\u0300-\u036f]/g, '')
      .toLowerCase()
      .split(/[\s.@+'-]+/)
      .filter((part) => part !== '');
  const listed = people.map(([email, name]) => ({ email, words: wordsOf(`${name ?? ''} ${email}`) }));
  const searches = [
    ...fc
      .sample(fc.array(word, { minLength: 1, maxLength: 2 }), { numRuns: 25, seed: 7 })
      .map((some) => some.join(' ')),
    ...['many', 'many a', 'e many', 'm 7', 'an'],
  ];
  for (const q of searches) {
    const wanted = wordsOf(q);
    const expected = listed
      .filter(({ words }) => wanted.every((part) => words.some((candidate) => candidate.startsWith(part))))
      .map(({ email }) => email)
      .toReversed();
    const found = (await searchUsers(db, { q: `${q} many`, limit: 500 })).map(({ email }) => email);
    expect(found, q).toEqual(expected.slice(0, 500));
    const { total } = await countFoundUsers(db, { q: `${q} many` });
    expect(total, q).toBe(Math.min(expected.length, 1_000));
  }
});
