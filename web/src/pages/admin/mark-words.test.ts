import { expect, test } from 'vitest';
import { markWords } from './mark-words.ts';

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
