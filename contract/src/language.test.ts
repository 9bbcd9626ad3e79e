import { expect, test } from 'vitest';
import { chooseLanguage, readLanguage } from './language.ts';

test.each([
  ['de', ['en-GB'], 'de'],
  ['en', ['de-AT', 'en'], 'en'],
  [undefined, ['de-AT', 'en'], 'de'],
  [undefined, ['DE'], 'de'],
  [undefined, ['fr-FR', 'de', 'en'], 'de'],
  [undefined, ['fr-FR', 'en-US', 'de'], 'en'],
  [undefined, ['nds'], 'en'],
  [undefined, [], 'en'],
  ['xx', ['de'], 'de'],
  ['toString', [], 'en'],
])('chosen %s, preferred %j: the pages are in %s', (chosen, preferred, language) => {
  expect(chooseLanguage(chosen, preferred)).toBe(language);
});

test.each([
  [{}, 'en'],
  [{ 'accept-language': 'de-AT,de;q=0.9,en;q=0.8' }, 'de'],
  [{ 'accept-language': 'en;q=0.5, de ;q=0.9' }, 'de'],
  [{ 'accept-language': 'fr-FR, de;q=0, en;q=0.1' }, 'en'],
  [{ 'accept-language': 'de', cookie: 'balance=b; lang=en' }, 'en'],
  [{ 'accept-language': 'en', cookie: 'lang=de; slang=en' }, 'de'],
  [{ 'accept-language': ';;;q=,', cookie: 'lang=<script>' }, 'en'],
])('%j is answered in %s', (headers, language) => {
  expect(readLanguage(headers)).toBe(language);
});
