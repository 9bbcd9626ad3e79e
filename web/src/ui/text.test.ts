import { expect, test } from 'vitest';
import { cut, linkify, withScheme } from './text.tsx';

test('R-HOME-11, R-PROD-07, R-PROD-08: text up to the limit is unchanged', () => {
  expect(cut('abcde', 5)).toBe('abcde');
  expect(cut('', 5)).toBe('');
});

test('R-HOME-11, R-PROD-07, R-PROD-08: longer text is cut at the limit and gets an ellipsis', () => {
  expect(cut('abcdef', 5)).toBe('abcde…');
});

test('the limit counts characters, not UTF-16 code units', () => {
  expect(cut('🎟🎟🎟', 3)).toBe('🎟🎟🎟');
  expect(cut('🎟🎟🎟', 2)).toBe('🎟🎟…');
});

test.each([
  ['partner.example/redeem', 'https://partner.example/redeem'],
  ['partner.example:8443/redeem', 'https://partner.example:8443/redeem'],
  ['https://partner.example', 'https://partner.example'],
  ['http://partner.example', 'http://partner.example'],
  ['HTTPS://partner.example', 'HTTPS://partner.example'],
])('R-PROD-22, R-PROD-23: %s is opened as %s', (url, expected) => {
  expect(withScheme(url)).toBe(expected);
});

test('R-PROD-27: web addresses become links, other text is unchanged', () => {
  expect(linkify('Open https://a.example/x?y=1 and sign in.')).toEqual([
    { text: 'Open ' },
    { text: 'https://a.example/x?y=1', href: 'https://a.example/x?y=1' },
    { text: ' and sign in.' },
  ]);
});

test.each([
  ['See https://a.example/x.', 'https://a.example/x', '.'],
  ['(see https://a.example/x)', 'https://a.example/x', ')'],
  ['See https://a.example/x_(y), now', 'https://a.example/x_(y)', ', now'],
  ['“https://a.example/x”', 'https://a.example/x', '”'],
])('R-PROD-27: punctuation stays outside the link: %s', (text, href, after) => {
  expect(linkify(text).slice(-2)).toEqual([{ text: href, href }, { text: after }]);
});

test('R-PROD-27: only http, https and mail addresses become links', () => {
  expect(linkify('javascript:alert(1) ftp://a.example data:text/html,x')).toEqual([
    { text: 'javascript:alert(1) ftp://a.example data:text/html,x' },
  ]);
  expect(linkify('write to help@a.example.')[1]).toEqual({
    text: 'help@a.example',
    href: 'mailto:help@a.example',
  });
});

test('R-PROD-27: markup stays text', () => {
  expect(
    linkify('<b>https://a.example</b>')
      .map((part) => part.text)
      .join(''),
  ).toBe('<b>https://a.example</b>');
});
