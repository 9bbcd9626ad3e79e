import { expect, test } from 'vitest';
import { splitHosts } from './writable-host.ts';

test('of several hosts each is tried with the same user, database and options', () => {
  expect(splitHosts('postgres://u:p@a:1,b,c:3/db?ssl=1')).toEqual([
    'postgres://u:p@a:1/db?ssl=1',
    'postgres://u:p@b/db?ssl=1',
    'postgres://u:p@c:3/db?ssl=1',
  ]);
});
