// Tests the response headers of all GET routes and of all pages.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../test/open-test-app.ts';

const PAGES = [
  '/',
  '/product/7',
  '/auth/callback',
  '/auth/google-handler',
  '/admin',
  '/admin/users',
  '/admin-login',
  '/admin-access-restricted',
  '/nothing/here',
];
// The paths whose responses may be cached, because they contain nothing personal.
const MAY_BE_CACHED =
  /^\/api\/(docs|openapi)|^\/(healthz|readyz|brand\.css|assets|icon\.svg|robots\.txt|favicon\.ico|share\.png)|jwks\.json$|confirm\.(js|css)$/;

let portal: TestApp;
let paths: string[];
beforeAll(async () => {
  portal = await openTestApp();
  paths = [...listGetRoutes(portal.app.printRoutes({ commonPrefix: false })), ...PAGES];
});
afterAll(() => portal.close());

const get = (url: string) => portal.app.inject({ url, headers: { host: 'localhost:3000' } });

/** Returns the paths of all GET routes in the tree that Fastify prints. Replaces each parameter in a path by `x`. */
function listGetRoutes(tree: string): string[] {
  const above: string[] = [];
  const found: string[] = [];
  for (const line of tree.split('\n')) {
    const [, indent = '', part = '', methods = ''] =
      /^((?:[│ ] {3})*)[├└]── (\S+)(?: \((.*)\))?$/.exec(line) ?? [];
    if (part === '') continue;
    const depth = indent.length / 4;
    above[depth] = (above[depth - 1] ?? '') + part;
    if (/\bGET\b/.test(methods)) found.push(above[depth].replace(/:\w+|\*/g, 'x'));
  }
  return found;
}

function readPolicy(header: unknown): Record<string, string[]> {
  const directives = String(header ?? '').split(';');
  return Object.fromEntries(
    directives.map((directive) => {
      const [name = '', ...sources] = directive.trim().split(/\s+/);
      return [name, sources];
    }),
  );
}

test('the list of routes contains routes of each kind', () => {
  for (const path of ['/api/docs', '/api/users', '/auth/v1/confirm', '/auth/v1/callback', '/dev/outbox']) {
    expect(paths).toContain(path);
  }
});

test('no response allows unlisted inline scripts or styles, framing, or MIME sniffing', async () => {
  for (const path of paths) {
    const { headers } = await get(path);
    const policy = readPolicy(headers['content-security-policy']);
    for (const kind of ['script-src', 'style-src']) {
      const sources = policy[kind] ?? policy['default-src'] ?? ['everything'];
      for (const source of sources) expect(source, `${kind} of ${path}`).toMatch(/^'(self|none|sha256-.+)'$/);
    }
    expect(policy['frame-ancestors'], path).toEqual(["'none'"]);
    expect(policy['base-uri'], path).toEqual(["'none'"]);
    // With upgrade-insecure-requests, browsers would request scripts and styles by https. A portal that has only an
    // http address would not work.
    expect(policy, path).not.toHaveProperty('upgrade-insecure-requests');
    expect(headers['x-content-type-options'], path).toBe('nosniff');
  }
});

test('the policy of a page names each inline script and style, and no page has style attributes or event handlers', async () => {
  const inline = {
    'script-src': /<script(?![^>]*(?:\ssrc=|type="application\/json"))[^>]*>(.*?)<\/script>/gs,
    'style-src': /<style[^>]*>(.*?)<\/style>/gs,
  };
  let pages = 0;
  for (const path of paths.filter((each) => each !== '/dev/outbox')) {
    const { headers, body } = await get(path);
    if (!String(headers['content-type']).includes('text/html')) continue;
    pages += 1;
    const policy = readPolicy(headers['content-security-policy']);
    for (const [kind, element] of Object.entries(inline)) {
      for (const [, text = ''] of body.matchAll(element)) {
        const hash = createHash('sha256').update(text).digest('base64');
        expect(policy[kind], `${kind} of ${path}`).toContain(`'sha256-${hash}'`);
      }
    }
    expect(body, path).not.toMatch(/<[^>]*\s(style|on\w+)=/);
  }
  expect(pages).toBeGreaterThan(PAGES.length);
});

test('A-15: a page with a token in its address sends no referrer, any other at most its origin', async () => {
  for (const path of paths) {
    const secret = path.startsWith('/auth/v1/') || path === '/auth/callback' || path === '/dev/outbox';
    const { headers } = await get(path);
    expect(headers['referrer-policy'], path).toBe(secret ? 'no-referrer' : 'strict-origin-when-cross-origin');
  }
});

test('no personal response may be cached, and no GET request sets a cookie', async () => {
  for (const path of paths) {
    const { headers } = await get(path);
    expect(headers['set-cookie'], path).toBeUndefined();
    if (MAY_BE_CACHED.test(path)) continue;
    expect(headers['cache-control'], path).toBe(PAGES.includes(path) ? 'no-cache' : 'no-store');
  }
});

describe('Strict-Transport-Security is sent', () => {
  const PATHS = ['/', '/api/products', '/auth/v1/health', '/auth/v1/confirm'];

  test('by a portal with an https address', async () => {
    const secure = await openTestApp({ publicUrl: 'https://portal.example.org' });
    for (const url of PATHS) {
      const { headers } = await secure.app.inject({ url, headers: { host: 'portal.example.org' } });
      expect(headers['strict-transport-security'], url).toMatch(/^max-age=\d{8}/);
    }
    await secure.close();
  });

  test('and not by one with an http address, which browsers could no longer open', async () => {
    for (const url of PATHS) expect((await get(url)).headers).not.toHaveProperty('strict-transport-security');
  });
});
