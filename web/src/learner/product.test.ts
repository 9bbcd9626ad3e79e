import { expect, test } from 'vitest';
import { splitInstructions } from './product.tsx';

test('R-PROD-26: each non-blank line is a step, in the given order', () => {
  expect(splitInstructions('Open the site\r\n\n   \n Sign in \nPaste')).toEqual([
    { number: 1, text: 'Open the site' },
    { number: 2, text: 'Sign in' },
    { number: 3, text: 'Paste' },
  ]);
});

test.each([null, undefined, '', ' \n\n'])('R-PROD-28: no instructions: %j', (text) => {
  expect(splitInstructions(text)).toEqual([]);
});
