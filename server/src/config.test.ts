import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { readConfig } from './config.ts';

const KEY = Buffer.alloc(32, 1).toString('base64');

test('with nothing set the portal is embedded, local, and keeps its mails', () => {
  expect(readConfig({})).toMatchObject({
    port: 3000,
    host: '127.0.0.1',
    publicUrl: 'http://localhost:3000',
    dataDir: './data',
    databaseUrl: null,
    workers: 1,
    smtpUrl: null,
    rateLimits: true,
    auth: { tokenSeconds: 3600, linkSeconds: 3600, mailIntervalSeconds: 60, reuseSeconds: 10, google: null },
  });
});

test('the address follows the port, and addresses of administrators are tidied', () => {
  const config = readConfig({ PORT: '4000', ADMIN_EMAILS: ' Ada@Example.org, ,bob@example.org ' });
  expect(config).toMatchObject({
    publicUrl: 'http://localhost:4000',
    adminEmails: ['ada@example.org', 'bob@example.org'],
  });
});

const wrong: [string, Record<string, string>][] = [
  ['PORT must be a whole number from 1 to 65535. Example: PORT=3000', { PORT: '0x' }],
  ['PUBLIC_URL must be http:// or https:// and a host', { PUBLIC_URL: 'https://portal.example.org/path' }],
  ['PUBLIC_URL must be', { PUBLIC_URL: 'portal' }],
  ['SECRET_KEY is required with DATABASE_URL', { DATABASE_URL: 'postgres://x/y' }],
  ['SECRET_KEY must be 32 random bytes', { SECRET_KEY: 'short' }],
  ['DATABASE_URL must begin with postgres://', { DATABASE_URL: 'mysql://x', SECRET_KEY: KEY }],
  ['WORKERS above 1 needs DATABASE_URL', { WORKERS: '2' }],
  ['ADMIN_EMAILS holds', { ADMIN_EMAILS: 'ada' }],
  ['SMTP_URL is required when PUBLIC_URL', { PUBLIC_URL: 'https://portal.example.org' }],
  ['SMTP_URL must be an address', { SMTP_URL: 'mail.example.org' }],
  ['MAIL_FROM is required with SMTP_URL', { SMTP_URL: 'smtp://mail.example.org' }],
  [
    'RATE_LIMITS off is refused',
    { RATE_LIMITS: 'off', PUBLIC_URL: 'https://a.example', SMTP_URL: 'smtp://m', MAIL_FROM: 'a@b.co' },
  ],
  ['RATE_LIMITS must be one of on, off', { RATE_LIMITS: 'no' }],
  ['GOOGLE_CLIENT_SECRET is required with GOOGLE_CLIENT_ID', { GOOGLE_CLIENT_ID: 'x' }],
  ['LOG_LEVEL must be one of', { LOG_LEVEL: 'loud' }],
  ['AUTH_TOKEN_SECONDS must be a whole number', { AUTH_TOKEN_SECONDS: '-1' }],
];

test.each(wrong)('a wrong value is named with its fault and an example: %s', (message, env) => {
  expect(() => readConfig(env)).toThrow(message);
  expect(() => readConfig(env)).toThrow(/Example: [A-Z_]+=/);
});

test('.env.example names every variable that is read, and no other', async () => {
  const read = new Set(
    [
      ...(await readFile(new URL('./config.ts', import.meta.url), 'utf8')).matchAll(
        /read\.\w+\(\s*'([A-Z_]+)'/g,
      ),
    ].map(([, name]) => name),
  );
  const example = await readFile(new URL('../../.env.example', import.meta.url), 'utf8');
  const named = new Set([...example.matchAll(/^#?\s?([A-Z_]+)=/gm)].map(([, name]) => name));
  expect(named).toEqual(read);
});
