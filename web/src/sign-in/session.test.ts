import { beforeEach, expect, test } from 'vitest';
import { decideSignIn, type SignInFacts } from './callback.tsx';
import { forgetTyped, keepTyped, ownPath, readArrival, readTyped } from './session.ts';

test('R-CB-01, R-SESS-03: a session in the fragment and the return path in the query', () => {
  const arrival = readArrival({
    hash: '#access_token=a.b.c&expires_in=3600&refresh_token=r&token_type=bearer&type=magiclink',
    search: '?next=%2Fproduct%2F7&request=n',
  });
  expect(arrival).toEqual({
    tokens: { access_token: 'a.b.c', refresh_token: 'r' },
    error: null,
    next: '/product/7',
  });
});

test('R-CB-11: the message for an expired link', () => {
  const hash =
    '#error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid+or+has+expired';
  expect(readArrival({ hash, search: '' }).error).toBe('Email link is invalid or has expired');
});

test('R-CB-11: an error without a description still has a message', () => {
  expect(readArrival({ hash: '#error=server_error', search: '' }).error).toMatch(/request a new link/);
  expect(readArrival({ hash: '', search: '?error_code=x' }).error).toMatch(/request a new link/);
});

test('a long error description in the address is shortened', () => {
  const hash = `#error=x&error_description=${'Call us '.repeat(100)}`;
  expect(readArrival({ hash, search: '' }).error).toHaveLength(160);
});

test('R-CB-01: an access token without a refresh token is not a session', () => {
  expect(readArrival({ hash: '#access_token=a', search: '' }).tokens).toBeNull();
});

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
const staff = { to: '/admin', afterMs: 500 };
const learnerTo = (to: string, afterMs: number) => ({ ifMember: staff, otherwise: { to, afterMs } });
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
  ['R-CB-09, R-DAY-50: nothing stored goes home, members to the staff pages', {}, learnerTo('/', 0)],
  ['R-DAY-50: a stored home', { returnUrl: `${origin}/` }, learnerTo('/', 500)],
  [
    'R-DAY-50: a stored home with a query, before the last visited product',
    { returnUrl: `${origin}/?lang=de`, lastProduct: '7' },
    learnerTo('/?lang=de', 500),
  ],
  ['R-DAY-50: home in the link', { next: '/' }, learnerTo('/', 500)],
  [
    'R-DAY-50: a landing page is a saved path',
    { returnUrl: '/accelerator' },
    { to: '/accelerator', afterMs: 500 },
  ],
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
    'R-CB-08, R-CB-12, R-DAY-50: last visited product, encoded; members to the staff pages',
    { lastProduct: 'a/b' },
    learnerTo('/product/a%2Fb', 500),
  ],
  [
    'R-CB-07: a foreign return address is ignored',
    { returnUrl: 'https://evil.example/x' },
    learnerTo('/', 0),
  ],
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

const HOUR_MS = 3_600_000;
const typed: Parameters<typeof keepTyped>[0] = {
  email: 'noor@example.org',
  path: '/admin/users',
  atMs: 1000,
  fields: [['name', 'Ida']],
};

beforeEach(() => forgetTyped());

test('what was typed is kept for an hour, for the same address and the same page', () => {
  keepTyped(typed);
  const read = (email: string, path: string, nowMs: number) => readTyped(email, path, nowMs);
  expect(read(typed.email, typed.path, 999 + HOUR_MS)).toEqual(typed.fields);
  expect(read(typed.email, typed.path, 1000 + HOUR_MS)).toBeNull();
  expect(read('tomas@example.org', typed.path, 1000)).toBeNull();
  expect(read(typed.email, '/admin/coupons', 1000)).toBeNull();
  forgetTyped();
  expect(read(typed.email, typed.path, 1000)).toBeNull();
});

test('an empty form does not take the place of what was typed before', () => {
  keepTyped(typed);
  keepTyped({ ...typed, fields: [] });
  expect(readTyped(typed.email, typed.path, 1000)).toEqual(typed.fields);
});
