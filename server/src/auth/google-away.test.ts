// Tests sign-in with Google if the provider is unavailable, slow, or has another issuer.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { comeBack, expectFault, leave, REDIRECT_URI as redirectUri } from '../../test/leave-for-google.ts';
import { openTestDatabase } from '../../test/open-test-database.ts';
import { CLIENT, openTestProvider } from '../../test/open-test-provider.ts';
import { createEmail, openTestSignIn, type TestSignIn } from '../../test/open-test-sign-in.ts';
import { findFreePort } from '../../test/postgres.ts';
import type { Database } from '../db/database.ts';

const AWAY = { error: 'temporarily_unavailable', error_code: 'unexpected_failure' };

let db: Database;

beforeAll(async () => {
  db = await openTestDatabase();
});

afterAll(() => db?.close());

function openService(issuer: string): Promise<TestSignIn> {
  return openTestSignIn(db, { settings: { google: { ...CLIENT, issuer } } });
}

test('the service starts while the provider is unavailable, shows an error, and works when it is available', async () => {
  const port = await findFreePort();
  const service = await openService(`http://127.0.0.1:${port}`);
  const away = await leave(service);
  expect(away.response.status).toBe(302);
  expect(new URL(away.address).pathname).toBe('/auth/callback');
  expectFault(new URL(away.address), AWAY);
  expect(away.cookie).toBe('');
  const provider = await openTestProvider({ redirectUri, port });
  expect(new URL((await leave(service)).address).origin).toBe(provider.issuer);
  await service.close();
  await provider.close();
});

test('the discovery document is loaded once an hour', async () => {
  const provider = await openTestProvider({ redirectUri });
  const service = await openService(provider.issuer);
  const count = () => provider.asked.filter((path) => path.endsWith('/openid-configuration')).length;
  expect(count()).toBe(0);
  await Promise.all([leave(service), leave(service)]);
  service.clock.advance(3599);
  await leave(service);
  expect(count()).toBe(1);
  service.clock.advance(1);
  await leave(service);
  expect(count()).toBe(2);
  await service.close();
  await provider.close();
});

test('a provider whose discovery document names another issuer is not used', async () => {
  const provider = await openTestProvider({ redirectUri });
  const service = await openService(provider.issuer.replace('127.0.0.1', 'localhost'));
  expectFault(new URL((await leave(service)).address), AWAY);
  await service.close();
  await provider.close();
});

/** Replaces each `AbortSignal.timeout(limitMs)` with a signal that aborts when the test calls `end`. */
function holdTimeouts(limitMs: number): { end(): void } {
  const startTimeout = AbortSignal.timeout;
  const held: AbortController[] = [];
  const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    if (ms !== limitMs) return startTimeout(ms);
    const controller = new AbortController();
    held.push(controller);
    return controller.signal;
  });
  onTestFinished(() => spy.mockRestore());
  return {
    end: () => {
      for (const controller of held) controller.abort(new DOMException('time is over', 'TimeoutError'));
    },
  };
}

test('calls to a provider that does not respond end after five seconds, before and after the person signs in there', async () => {
  const provider = await openTestProvider({ redirectUri });
  provider.setAccount('lea', { sub: randomUUID(), email: createEmail(), email_verified: true });
  const service = await openService(provider.issuer);
  const timeouts = holdTimeouts(5_000);
  const discovery = '/.well-known/openid-configuration';
  provider.faults.silentPaths = [discovery];
  const leaving = leave(service);
  await expect.poll(() => provider.asked).toEqual([discovery]);
  timeouts.end();
  expectFault(new URL((await leaving).address), AWAY);
  provider.faults.silentPaths = ['/token'];
  const { address, cookie } = await leave(service);
  const back = await provider.signIn(address, 'lea');
  const coming = comeBack(service, back, cookie);
  await expect.poll(() => provider.asked.at(-1)).toBe('/token');
  timeouts.end();
  expectFault((await coming).target, { error: 'server_error', error_code: 'unexpected_failure' });
  const warnings = service.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
  expect(warnings).toEqual([
    'The sign-in provider could not be asked',
    'The answer of the sign-in provider is not sound',
  ]);
  await service.close();
  await provider.close();
});
