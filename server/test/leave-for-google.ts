// Makes the requests of a browser during a sign-in with Google. The first request starts the sign-in and sets a cookie.
// The second request is the callback, with which the browser returns from Google.
import { expect } from 'vitest';
import { CALLBACK, PUBLIC_URL, type TestSignIn } from './open-test-sign-in.ts';

export const REDIRECT_URI = `${PUBLIC_URL}/auth/v1/callback`;

/**
 * Starts the sign-in. Returns the response, the address to which it redirects (`address`), and the cookie that it sets.
 */
export async function leave(service: TestSignIn, query: Record<string, string> = {}, cookie = '') {
  const asked = new URLSearchParams({ provider: 'google', redirect_to: CALLBACK, ...query });
  const response = await service.call(`/authorize?${asked}`, { headers: { cookie } });
  const [kept = ''] = response.headers.getSetCookie();
  return {
    response,
    address: response.headers.get('location') ?? '',
    attributes: kept,
    cookie: kept.split(';')[0] ?? '',
  };
}

/**
 * Requests the callback with the query of `back`. Returns the status of the response, and the address to which the
 * response redirects.
 */
export async function comeBack(service: TestSignIn, back: URL, cookie: string) {
  const response = await service.call(`/callback${back.search}`, { headers: { cookie } });
  const target = new URL(response.headers.get('location') ?? '');
  return { status: response.status, target, fragment: new URLSearchParams(target.hash.slice(1)) };
}

/**
 * Checks that both the query and the fragment of `target` contain the error and a description, but no access token and
 * no authorization code.
 */
export function expectFault(target: URL, fault: { error: string; error_code?: string }) {
  for (const part of [target.searchParams, new URLSearchParams(target.hash.slice(1))]) {
    expect(part.get('error')).toBe(fault.error);
    expect(part.get('error_code')).toBe(fault.error_code ?? null);
    expect(part.get('error_description')).not.toBe('');
    expect(part.get('access_token')).toBeNull();
    expect(part.get('code')).toBeNull();
  }
}
