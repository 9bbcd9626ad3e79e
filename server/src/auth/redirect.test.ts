// Tests that a sign-in cannot lead to another site (open redirect).
import { expect, test } from 'vitest';
import { resolveRedirect } from './redirect.ts';

const SITE = 'https://portal.example.org';
const HOME = `${SITE}/`;

test.each([
  [`${SITE}/auth/callback?next=%2Fproduct%2F1`, `${SITE}/auth/callback?next=%2Fproduct%2F1`],
  [SITE, HOME],
  [`${SITE}:443/x`, `${SITE}/x`],
  ['HTTPS://PORTAL.EXAMPLE.ORG/x', `${SITE}/x`],
  [`${SITE}/x#access_token=theirs`, `${SITE}/x`],
  [`${SITE}/a/../b`, `${SITE}/b`],
  [`${SITE}/product/auth/v1/x`, `${SITE}/product/auth/v1/x`],
])('stays in the portal: %s', (candidate, target) => {
  expect(resolveRedirect(candidate, SITE)).toBe(target);
});

test.each([
  undefined,
  null,
  5,
  ['https://portal.example.org/x'],
  '',
  '/auth/callback',
  '//evil.example',
  'https://evil.example',
  'http://portal.example.org/',
  'https://portal.example.org:8443/',
  'https://portal.example.org.evil.example/',
  'https://portal.example.org@evil.example/',
  'https://user@portal.example.org/',
  'https://user:word@portal.example.org/',
  'https://portal.example.org\\@evil.example/',
  'https:\\\\evil.example',
  'https://evil.example\\.portal.example.org/',
  '\thttps://portal.example.org/',
  'https://portal.example.org/\r\nSet-Cookie: a=b',
  ' https://portal.example.org/x',
  'https://portal.example.org/a b',
  'https://portal.example.org/\u0000',
  'javascript:alert(1)//portal.example.org',
  'data:text/html,https://portal.example.org/',
  'blob:https://portal.example.org/1',
  'https://pоrtal.example.org/',
  'https://portal.example.org/auth/v1/authorize?provider=google',
  'https://portal.example.org/auth/./v1/callback',
  'https://portal.example.org/%61uth/v1/authorize',
  'https://portal.example.org/auth%2Fv1/verify',
  'https://portal.example.org/api/my/products',
  'https://portal.example.org/dev/outbox',
  'https://portal.example.org/metrics',
  'https://portal.example.org/%',
  'https://portal.example.org./',
  `https://portal.example.org/${'x'.repeat(2048)}`,
])('goes home instead of to %j', (candidate) => {
  expect(resolveRedirect(candidate, SITE)).toBe(HOME);
});

test('a portal on a port of this machine allows that port only', () => {
  expect(resolveRedirect('http://localhost:3000/x', 'http://localhost:3000')).toBe('http://localhost:3000/x');
  expect(resolveRedirect('http://localhost:3001/x', 'http://localhost:3000')).toBe('http://localhost:3000/');
  expect(resolveRedirect('http://127.0.0.1:3000/x', 'http://localhost:3000')).toBe('http://localhost:3000/');
});
