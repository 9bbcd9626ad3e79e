import { expect, test } from 'vitest';
import { decideSignIn, ownPath, type SignInFacts } from './sign-in-decision.ts';

const origin = 'https://portal.example';
const facts: SignInFacts = {
  hasSession: true,
  referrer: '',
  returnUrl: null,
  next: null,
  lastProduct: null,
  origin,
};
const home = { to: '/', afterMs: 0 };
const byRole = {
  ifAdmin: { to: '/admin', afterMs: 500 },
  ifNot: { to: '/admin/access-denied', afterMs: 500 },
  onError: home,
};

test.each<[string, Partial<SignInFacts>, ReturnType<typeof decideSignIn>]>([
  [
    'R-CB-10: no session goes home, whatever is stored',
    { hasSession: false, returnUrl: `${origin}/fellowship` },
    home,
  ],
  ['R-CB-09: nothing stored goes home', {}, home],
  [
    'R-CB-07, R-CB-12: a full return address',
    { returnUrl: `${origin}/product/7?a=1#b` },
    { to: '/product/7?a=1#b', afterMs: 500 },
  ],
  ['R-CB-07, R-CB-12: a return path', { returnUrl: '/fellowship' }, { to: '/fellowship', afterMs: 500 }],
  ['the path in the link', { next: '/product/7' }, { to: '/product/7', afterMs: 500 }],
  ['stored before linked', { returnUrl: '/a', next: '/b' }, { to: '/a', afterMs: 500 }],
  [
    'linked when the stored one is foreign',
    { returnUrl: 'https://evil.example/', next: '/b' },
    { to: '/b', afterMs: 500 },
  ],
  ['R-CB-13: stored before last visited', { returnUrl: '/a', lastProduct: '7' }, { to: '/a', afterMs: 500 }],
  [
    'R-CB-08, R-CB-12: last visited product, encoded',
    { lastProduct: 'a/b' },
    { to: '/product/a%2Fb', afterMs: 500 },
  ],
  ['R-CB-07: a foreign return address is ignored', { returnUrl: 'https://evil.example/x' }, home],
  [
    'R-CB-03, R-CB-04, R-CB-05, R-CB-06, R-CB-12, R-CB-13: the admin login page as referrer, and home without a token',
    { referrer: `${origin}/admin-login`, returnUrl: '/a', lastProduct: '7' },
    byRole,
  ],
  ['the admin marker stored', { returnUrl: '/admin' }, byRole],
  ['the admin marker in the link', { next: '/admin' }, byRole],
  [
    'another admin page is a plain return path',
    { returnUrl: '/admin/users' },
    { to: '/admin/users', afterMs: 500 },
  ],
])('%s', (_title, given, expected) => {
  expect(decideSignIn({ ...facts, ...given })).toEqual(expected);
});

test.each([
  ['//evil.example/x', null],
  ['/\\evil.example/x', null],
  ['https://portal.example.evil.example/', null],
  ['javascript:alert(1)', null],
  ['https://portal.example//evil.example', '/evil.example'],
  ['/auth/callback?next=/a', null],
  ['http://', null],
  ['', null],
  [null, null],
])('the return address %s becomes %s', (address, path) => {
  expect(ownPath(address, origin)).toBe(path);
});
