// Tests the doctor's checks of the machine: its folders, and the services that the settings name.
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openSmallAuthService } from '../../test/open-small-auth-service.ts';
import { openTestProvider } from '../../test/open-test-provider.ts';
import { createTestClock } from '../../test/open-test-sign-in.ts';
import { findFreePort } from '../../test/postgres.ts';
import { readConfig } from '../config.ts';
import { VERSION } from '../version.ts';
import { examineMachine } from './examine-machine.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-doctor-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Returns the check results for these settings, as lines. */
async function examine(env: Record<string, string>): Promise<string[]> {
  const config = readConfig({ DATA_DIR: folder, PORT: String(await findFreePort()), ...env });
  const checkResults = await examineMachine(config);
  return checkResults.map(({ about, state, text }) => `${state} ${about}: ${text}`);
}

/**
 * Starts a server on the loopback address. It responds to each request with `body` and the Date header `date`. Returns
 * the port.
 */
async function answerHealth(body: string, date = new Date()): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader('date', date.toUTCString());
    response.end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return address === null || typeof address === 'string' ? '' : String(address.port);
}

test('the check of a mail server logs in, and sends nothing', async () => {
  const mails: unknown[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    onAuth: ({ password }, _session, done) =>
      password === 'right' ? done(null, { user: 'portal' }) : done(new Error('no')),
    onData: (stream, _session, done) => {
      mails.push(stream);
      done();
    },
  });
  const port = await findFreePort();
  server.listen(port, '127.0.0.1');
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  const look = async (password: string, at = port) =>
    (
      await examine({ SMTP_URL: `smtp://portal:${password}@127.0.0.1:${at}`, MAIL_FROM: 'a@example.org' })
    ).find((line) => line.includes(' mail: '));
  expect(await look('right')).toMatch(/^ok mail: 127\.0\.0\.1:\d+ takes the connection and the login/);
  expect(await look('wrong')).toMatch(/^wrong mail: Invalid login.*mend its host, port, user or password/);
  expect(await look('right', await findFreePort())).toMatch(/^wrong mail: .*ECONNREFUSED.*mend/);
  expect(mails).toEqual([]);
});

test('PUBLIC_URL must reach the portal by https, with the right number of proxies, unless it is a loopback address', async () => {
  const healthy = `{"status":"ok","version":"${VERSION}"}`;
  const PORT = await answerHealth(healthy);
  const look = async (env: Record<string, string>) =>
    (await examine({ PORT, ...env })).filter((line) => / (address|proxy): /.test(line));
  expect(await look({})).toEqual([`ok address: http://localhost:${PORT} reaches a portal`]);
  const other = await answerHealth('<html>');
  expect(await look({ PUBLIC_URL: `http://127.0.0.1:${other}` })).toEqual([
    expect.stringMatching(/^wrong address: .*answered by something else \(status 200\).*mend PUBLIC_URL/),
  ]);
  const late = await answerHealth(healthy, new Date(Date.now() - 60_000));
  expect(await look({ PUBLIC_URL: `http://127.0.0.1:${late}` })).toEqual([
    expect.stringMatching(/^wrong address: the clock behind .* (59|60|61) s away/),
  ]);
  const away = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'a@example.org' };
  expect(await look({ ...away, PUBLIC_URL: 'http://portal.invalid' })).toEqual([
    expect.stringMatching(/^wrong address: .*portal\.invalid.*mend PUBLIC_URL/),
    expect.stringMatching(/^wrong proxy: .*is not encrypted/),
  ]);
  expect((await look({ ...away, PUBLIC_URL: 'https://portal.invalid' }))[1]).toMatch(
    /^wrong proxy: TRUSTED_PROXIES is 0/,
  );
  expect((await look({ ...away, PUBLIC_URL: 'https://portal.invalid', TRUSTED_PROXIES: '1' }))[1]).toBe(
    'ok proxy: https, behind one proxy',
  );
});

test('R-DAY-55: the doctor names the version, and says if the portal that runs has another one', async () => {
  const look = async (body: string) =>
    (await examine({ PORT: await answerHealth(body) })).find((line) => line.includes(' version: '));
  expect(await look(`{"status":"ok","version":"${VERSION}"}`)).toBe(`ok version: ${VERSION}`);
  expect(await look('{"status":"ok","version":"0.2.9"}')).toBe(
    `wrong version: the portal that runs is 0.2.9, but this folder has ${VERSION}: restart the portal`,
  );
  expect(await look('{"status":"ok"}')).toMatch(/^wrong version: the portal that runs is an older version/);
  expect(await examine({})).toContain(`ok version: ${VERSION}`);
});

test('the address is not wrong if no portal runs', async () => {
  expect(await examine({})).toContainEqual(expect.stringMatching(/^unknown address: no portal answers at/));
});

test('a hosted sign-in service is called with its API key, and is wrong if it refuses or is unavailable', async () => {
  const service = await openSmallAuthService({ clock: createTestClock() });
  const look = async () =>
    (await examine({ AUTH_URL: `${service.url}/`, AUTH_ANON_KEY: 'sb_publishable_x' })).find((line) =>
      line.includes('AUTH_URL'),
    );
  expect(await look()).toBe(`ok AUTH_URL: ${service.url}/settings answers`);
  expect(service.calls).toEqual(['/settings sb_publishable_x']);
  service.instead.set('/settings', { status: 401 });
  expect(await look()).toMatch(/^wrong AUTH_URL: \S+\/settings answers 401\. Mend AUTH_URL/);
  await service.close();
  expect(await look()).toMatch(/^wrong AUTH_URL: .*ECONNREFUSED.*Mend AUTH_URL/);
});

test('the OpenID provider is wrong if it is unavailable or has no discovery document', async () => {
  const provider = await openTestProvider({ redirectUri: 'http://localhost/auth/v1/callback' });
  const { clientId, clientSecret } = provider.settings;
  const look = async (issuer: string) =>
    (
      await examine({
        GOOGLE_CLIENT_ID: clientId,
        GOOGLE_CLIENT_SECRET: clientSecret,
        GOOGLE_ISSUER: issuer,
      })
    ).find((line) => line.includes('GOOGLE_ISSUER'));
  const asked = `${provider.issuer}/.well-known/openid-configuration`;
  for (const issuer of [provider.issuer, `${provider.issuer}/`])
    expect(await look(issuer)).toBe(`ok GOOGLE_ISSUER: ${asked} answers`);
  expect(await look(`${provider.issuer}/elsewhere`)).toMatch(/^wrong GOOGLE_ISSUER: \S+ answers 404/);
  await provider.close();
  expect(await look(provider.issuer)).toMatch(/^wrong GOOGLE_ISSUER: .*ECONNREFUSED.*Mend GOOGLE_ISSUER/);
});

test('files that other users may read, and an invalid brand, are wrong', async () => {
  const open = join(folder, 'open');
  await mkdir(open, { mode: 0o700 });
  expect(await examine({ DATA_DIR: open })).toContainEqual(
    expect.stringMatching(/^ok data folder: .* GB free$/),
  );
  await writeFile(join(open, 'secret-key'), '', { mode: 0o644 });
  expect(await examine({ DATA_DIR: open })).toContainEqual(
    expect.stringMatching(/^wrong data folder: others may read .*chmod 600 .*secret-key$/),
  );
  await chmod(join(open, 'secret-key'), 0o600);
  expect(await examine({ DATA_DIR: open })).toContainEqual(
    expect.stringMatching(/^wrong data folder: .*secret-key is damaged/),
  );
  await chmod(open, 0o755);
  expect(await examine({ DATA_DIR: open })).toContainEqual(
    expect.stringMatching(/^wrong data folder: .*chmod 700 /),
  );
  const brand = join(folder, 'brand.json');
  await writeFile(brand, '{"name": 3}');
  expect(await examine({ BRAND_FILE: brand })).toContainEqual(
    expect.stringMatching(/^wrong brand: BRAND_FILE .*name/),
  );
  // R-DAY-54.
  const live = { PUBLIC_URL: 'https://portal.invalid', SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'a@b.co' };
  expect(await examine(live)).toContainEqual(
    expect.stringMatching(/^wrong brand: these fields are still the examples: support_email, .*, refund_url/),
  );
  const own = { support_email: 'help@academy.test', onboarding_call_url: 'https://academy.test/call' };
  const pages = { terms_url: '/terms', privacy_url: '/privacy', refund_url: '/refunds', social_links: [] };
  await writeFile(brand, JSON.stringify({ name: 'An academy', ...own, ...pages }));
  expect(await examine({ ...live, BRAND_FILE: brand })).toContainEqual(
    expect.stringMatching(/^ok brand: \S+: An academy; after a change, restart the portal$/),
  );
});
