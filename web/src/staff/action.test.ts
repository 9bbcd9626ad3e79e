import { expect, test } from 'vitest';
import { ApiError } from '../api.ts';
import { refusalWords } from './action.tsx';

test("R-ERR-09: a refusal is told in the server's words", () => {
  expect(refusalWords(new ApiError(409, 'Conflict', '{"message":"taken"}'), 'Failed')).toEqual({
    title: 'Error',
    description: 'taken',
    variant: 'destructive',
  });
});

test.each([
  ['a proxy in between', new ApiError(502, 'Bad Gateway', '<html>')],
  ['a lost connection', new TypeError('Failed to fetch')],
])('R-ERR-09: the fallback is told when the words are those of %s', (_who, error) => {
  expect(refusalWords(error, 'Failed to create coupon').description).toBe('Failed to create coupon');
});

test('R-TEAM-21: a refusal because the role is too low has its own title', () => {
  const body = '{"code":"role_too_low","message":"Your role (viewer) may not do this. Ask an owner."}';
  expect(refusalWords(new ApiError(403, 'Forbidden', body), 'Failed')).toEqual({
    title: 'Access restricted',
    description: 'Your role (viewer) may not do this. Ask an owner.',
    variant: 'destructive',
  });
});
