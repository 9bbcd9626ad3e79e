import type { Catalogue } from '@portal/contract';
import { isValidElement, type ReactElement, type ReactNode } from 'react';
import { afterEach, expect, test } from 'vitest';
import { formatDate, formatNumber, localeOf, setCurrentLocale } from './format.ts';
import { t, tCount, tNode, tServed } from './translate.ts';

const catalogue: Catalogue = {
  said: {
    'Write to {email} today': 'Heute an {email} schreiben',
  },
  counted: { '{count} codes': { one: '{count} Kode', other: '{count} Kodes' } },
  readServed: (english) => (english === 'Too late' ? 'Zu spät' : undefined),
};
const codes = (count: number) => tCount(count, { one: '{count} code', other: '{count} codes' });
const readGerman = () => setCurrentLocale({ language: 'de', locale: 'de-DE', catalogue });

afterEach(() => setCurrentLocale({ language: 'en', locale: 'en', catalogue: null }));

test('English texts are shown unchanged', () => {
  expect(t('Write to {email} today', { email: 'a@b.example' })).toBe('Write to a@b.example today');
  expect([codes(0), codes(1), codes(1200)]).toEqual(['0 codes', '1 code', '1,200 codes']);
  expect(tServed('Too late')).toBe('Too late');
});

test('another language uses its catalogue, with the same values', () => {
  readGerman();
  expect(t('Write to {email} today', { email: 'a@b.example' })).toBe('Heute an a@b.example schreiben');
  expect([codes(0), codes(1), codes(1200)]).toEqual(['0 Kodes', '1 Kode', '1.200 Kodes']);
});

test('a text that the catalogue does not contain is shown in English', () => {
  readGerman();
  expect(t('New {thing}', { thing: 'offer' })).toBe('New offer');
  expect(tServed('Too late')).toBe('Zu spät');
  expect(tServed('Something else')).toBe('Something else');
});

test('braces inside a value are not treated as a placeholder', () => {
  expect(t('Write to {email} today', { email: '{email} $& $1' })).toBe('Write to {email} $& $1 today');
});

test('an element replaces its placeholder', () => {
  readGerman();
  const text = tNode('Write to {email} today', { email: <b>a@b.example</b> });
  const children = (text as ReactElement<{ children: ReactNode[] }>).props.children;
  expect(children.map((child) => (isValidElement(child) ? child.type : child))).toEqual([
    'Heute an ',
    'b',
    ' schreiben',
  ]);
});

test('dates and numbers use the preferred variant of the page language, not another language', () => {
  expect(localeOf('de', ['fr-CH', 'de-CH', 'de'])).toBe('de-CH');
  expect(localeOf('en', ['de-DE'])).toBe('en');
  readGerman();
  expect(formatNumber(1234.5)).toBe('1.234,5');
  expect(formatDate(new Date('2026-03-14T12:00:00Z'), { day: 'numeric', month: 'long' })).toBe('14. März');
});
