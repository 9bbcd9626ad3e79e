import { expect, test } from 'vitest';
import { readAddresses } from './page.tsx';

test('blank lines and repeated addresses are left out, and capitals do not matter', () => {
  expect(readAddresses(' Ada@Example.org \n\nbo@example.org\r\nada@example.org\n')).toEqual({
    addresses: ['ada@example.org', 'bo@example.org'],
    problem: null,
  });
});

test('the problem names the first line that is no address, counted with the blank ones', () => {
  const { problem } = readAddresses('ada@example.org\n\nBo Diddley\nnobody');
  expect(problem).toBe('Line 3 is not an email address: Bo Diddley');
});

test('more than 500 addresses are a file', () => {
  const lines = Array.from({ length: 501 }, (_line, at) => `p${at}@example.org`);
  expect(readAddresses(lines.slice(1).join('\n')).problem).toBeNull();
  expect(readAddresses(lines.join('\n')).problem).toMatch(/^501 addresses; 500 at once are the most/);
});
