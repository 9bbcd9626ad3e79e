import { expect, test } from 'vitest';
import { ApiError, isNotFound, pathOf } from './api.ts';

test('R-HTTP-05: the message is the status, a colon and the body', () => {
  expect(new ApiError(409, 'Conflict', '{"message":"taken"}').message).toBe('409: {"message":"taken"}');
});

test('R-HTTP-06: without a body the message ends in the status text', () => {
  expect(new ApiError(404, 'Not Found', '').message).toBe('404: Not Found');
});

test('code, title and message come only from a JSON body of the server', () => {
  const refusal = new ApiError(403, '', '{"code":"access_restricted","title":"T","message":"M"}');
  expect([refusal.code, refusal.title, refusal.serverMessage]).toEqual(['access_restricted', 'T', 'M']);
  const proxy = new ApiError(502, '', '<html>');
  expect([proxy.code, proxy.title, proxy.serverMessage]).toEqual([undefined, undefined, undefined]);
  expect(new ApiError(400, '', '{"message":7}').serverMessage).toBeUndefined();
});

test('only a 404 means that the thing does not exist', () => {
  expect(isNotFound(new ApiError(404, '', ''))).toBe(true);
  expect(isNotFound(new ApiError(500, '', ''))).toBe(false);
  expect(isNotFound(new TypeError('Failed to fetch'))).toBe(false);
});

test('parameters of a path are replaced and encoded', () => {
  expect(pathOf({ path: '/api/products/:id' }, { id: 'a/b c' })).toBe('/api/products/a%2Fb%20c');
});
