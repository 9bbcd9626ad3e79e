// Tests the directive `img-src` of the content security policy: images may come from any host.
import { expect, test } from 'vitest';
import { listSecurityHeaders } from './headers.ts';

test.each([
  ['https://portal.example', "'self' data: https:"],
  ['http://localhost:3000', "'self' data: https: http:"],
])('images may come from any host, on an https page only by https: %s', (publicUrl, sources) => {
  const policy = String(listSecurityHeaders(publicUrl, publicUrl)['content-security-policy']);
  expect(policy.split(';')).toContain(`img-src ${sources}`);
});
