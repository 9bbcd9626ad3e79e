// Where the pictures of a page may come from.
import { expect, test } from 'vitest';
import { listSecurityHeaders } from './security-headers.ts';

test.each([
  ['https://portal.example', "'self' data: https:"],
  ['http://localhost:3000', "'self' data: https: http:"],
])('a logo may lie anywhere, for a page by TLS only where TLS is: %s', (publicUrl, sources) => {
  const policy = String(listSecurityHeaders(publicUrl, publicUrl)['content-security-policy']);
  expect(policy.split(';')).toContain(`img-src ${sources}`);
});
