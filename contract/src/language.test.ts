import { expect, test } from 'vitest';
import { chooseLanguage } from './language.ts';

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
