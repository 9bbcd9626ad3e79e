import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError, readConfig, readEnvironment } from './config.ts';

// A secret key in the format that older projects of the hosted sign-in service use: a JWT with the role service_role.
const SERVICE_KEY = ['{"alg":"HS256"}', '{"role":"service_role"}', 'signature']
  .map((part) => Buffer.from(part).toString('base64url'))
  .join('.');
const KEY = Buffer.alloc(32, 1).toString('base64');

test('without variables the portal listens on loopback, uses the embedded database and stores mails in the outbox', () => {
  expect(readConfig({})).toMatchObject({
    port: 3000,
    host: '127.0.0.1',
    publicUrl: 'http://localhost:3000',
    dataDir: './data',
    databaseUrl: null,
    workers: 1,
    smtpUrl: null,
    smtpPerMinute: null,
    rateLimits: true,
    codesMasked: false,
    retention: { importDays: 90, mailDays: 180 },
    timeZone: 'UTC',
    auth: {
      tokenSeconds: 3600,
      linkSeconds: 3600,
      mailIntervalSeconds: 60,
      reuseSeconds: 10,
      sessionIdleDays: 30,
      sessionMaxDays: 180,
      google: null,
    },
  });
});

test('TIME_ZONE is an IANA name', () => {
  for (const timeZone of ['Europe/Berlin', 'Pacific/Kiritimati', 'UTC'])
    expect(readConfig({ TIME_ZONE: ` ${timeZone} ` })).toMatchObject({ timeZone });
});

test('R-IMP-41: CODES_MASKED is on or off', () => {
  expect(readConfig({ CODES_MASKED: 'on' })).toMatchObject({ codesMasked: true });
  expect(readConfig({ CODES_MASKED: 'off' })).toMatchObject({ codesMasked: false });
  expect(() => readConfig({ CODES_MASKED: 'yes' })).toThrow('CODES_MASKED');
});

test('PUBLIC_URL defaults to the port, and ADMIN_EMAILS are trimmed and in lower case', () => {
  const config = readConfig({ PORT: '4000', ADMIN_EMAILS: ' Ada@Example.org, ,bob@example.org ' });
  expect(config).toMatchObject({
    publicUrl: 'http://localhost:4000',
    adminEmails: ['ada@example.org', 'bob@example.org'],
  });
});

test('the password in DATABASE_URL may contain commas', () => {
  const databaseUrl = 'postgres://portal:one,two@db.example/portal?application_name=a,b';
  expect(readConfig({ DATABASE_URL: databaseUrl, SECRET_KEY: KEY })).toMatchObject({ databaseUrl });
});

test('AUTH_URL selects a hosted sign-in service, and may be a loopback address', () => {
  const env = { AUTH_ANON_KEY: 'sb_publishable_1', AUTH_JWT_SECRET: 'x'.repeat(32) };
  expect(readConfig({}).auth.hosted).toBeNull();
  for (const url of [
    'https://project.example.org/auth/v1',
    'http://127.0.0.1:9999',
    'http://localhost:9999',
  ]) {
    const { hosted } = readConfig({ ...env, AUTH_URL: `${url}/` }).auth;
    expect(hosted).toEqual({ url, anonKey: 'sb_publishable_1', jwtSecret: 'x'.repeat(32) });
  }
});

const wrong: [string, Record<string, string>][] = [
  ['PORT must be a whole number from 1 to 65535. Example: PORT=3000', { PORT: '0x' }],
  ['PORT must be a whole number', { PORT: '0x10' }],
  ['PORT must be a whole number', { PORT: '3e3' }],
  ['PORT must be a whole number', { PORT: '80.0' }],
  ['WORKERS must be a whole number', { WORKERS: '0b1' }],
  ['PUBLIC_URL must be http:// or https:// and a host', { PUBLIC_URL: 'https://portal.example.org/path' }],
  ['PUBLIC_URL must be', { PUBLIC_URL: 'portal' }],
  ['SECRET_KEY is required with DATABASE_URL', { DATABASE_URL: 'postgres://x/y' }],
  ['SECRET_KEY must be 32 random bytes', { SECRET_KEY: 'short' }],
  ['SECRET_KEY must be 32 random bytes', { SECRET_KEY: `${KEY.slice(0, 20)} ${KEY.slice(20)}` }],
  ['DATABASE_URL must begin with postgres://', { DATABASE_URL: 'mysql://x', SECRET_KEY: KEY }],
  [
    'DATABASE_URL must name one host: put a proxy in front of several servers',
    { DATABASE_URL: 'postgres://portal:pw@a.example,b.example:5433/portal', SECRET_KEY: KEY },
  ],
  ['AUTH_SESSION_IDLE_DAYS must be a whole number from 1', { AUTH_SESSION_IDLE_DAYS: '0' }],
  ['RETAIN_IMPORT_DAYS must be a whole number from 0', { RETAIN_IMPORT_DAYS: '-1' }],
  ['RETAIN_MAIL_DAYS must be a whole number from 0', { RETAIN_MAIL_DAYS: 'ever' }],
  ['AUTH_SESSION_MAX_DAYS must be a whole number from 1', { AUTH_SESSION_MAX_DAYS: '1.5' }],
  [
    'AUTH_TOKEN_SECONDS must be shorter than AUTH_SESSION_IDLE_DAYS',
    { AUTH_TOKEN_SECONDS: '86400', AUTH_SESSION_IDLE_DAYS: '1' },
  ],
  ['WORKERS above 1 needs DATABASE_URL', { WORKERS: '2' }],
  ['ADMIN_EMAILS holds', { ADMIN_EMAILS: 'ada' }],
  ['SMTP_URL is required when PUBLIC_URL', { PUBLIC_URL: 'https://portal.example.org' }],
  ['SMTP_URL must be an address', { SMTP_URL: 'mail.example.org' }],
  ['SMTP_PER_MINUTE must be a whole number from 1', { SMTP_PER_MINUTE: '0' }],
  ['SMTP_PER_MINUTE must be a whole number from 1', { SMTP_PER_MINUTE: 'ten' }],
  ['MAIL_FROM is required with SMTP_URL', { SMTP_URL: 'smtp://mail.example.org' }],
  ['SMTP_URL is required with MAIL_FROM', { MAIL_FROM: 'benefits@example.org' }],
  ...['Benefits', 'Benefits <benefits>', 'benefits@', 'a@b.co, c@d.co', '<>', 'Ben\nefits <a@b.co>'].map(
    (from): [string, Record<string, string>] => [
      'MAIL_FROM must be one e-mail address',
      { SMTP_URL: 'smtp://mail.example.org', MAIL_FROM: from },
    ],
  ),
  ...['smtp:', 'smtp://', 'smtps:///mail', 'smtp://:587'].map((url): [string, Record<string, string>] => [
    'SMTP_URL must be an address',
    { SMTP_URL: url, MAIL_FROM: 'a@b.co' },
  ]),
  ...['with blank', 'tab\there', 'schlüssel', 'a\u00a0b'].flatMap(
    (value): [string, Record<string, string>][] => [
      ['METRICS_TOKEN must be letters, digits and signs', { METRICS_TOKEN: value }],
      [
        'AUTH_ANON_KEY must be letters, digits and signs',
        { AUTH_URL: 'https://a.example', AUTH_ANON_KEY: value },
      ],
    ],
  ),
  ['AUTH_URL is required with AUTH_ANON_KEY', { AUTH_ANON_KEY: 'sb_publishable_1' }],
  ['AUTH_URL is required with AUTH_JWT_SECRET', { AUTH_JWT_SECRET: 'x'.repeat(32) }],
  ['GOOGLE_CLIENT_ID is required with GOOGLE_ISSUER', { GOOGLE_ISSUER: 'https://id.example.org' }],
  ['DATABASE_URL is required with DATABASE_PREPARE', { DATABASE_PREPARE: 'off' }],
  [
    'RATE_LIMITS off is refused',
    { RATE_LIMITS: 'off', PUBLIC_URL: 'https://a.example', SMTP_URL: 'smtp://m', MAIL_FROM: 'a@b.co' },
  ],
  ['RATE_LIMITS must be one of on, off', { RATE_LIMITS: 'no' }],
  ['GOOGLE_CLIENT_SECRET is required with GOOGLE_CLIENT_ID', { GOOGLE_CLIENT_ID: 'x' }],
  [
    'GOOGLE_ISSUER must be https://',
    { GOOGLE_CLIENT_ID: 'x', GOOGLE_CLIENT_SECRET: 'y', GOOGLE_ISSUER: 'http://id.example.org' },
  ],
  ['LOG_LEVEL must be one of', { LOG_LEVEL: 'loud' }],
  ...['Atlantis', 'Europe/', '../UTC', 'Europe/Berlin Europe/Paris'].map(
    (name): [string, Record<string, string>] => [
      'TIME_ZONE must be an IANA time zone. Example: TIME_ZONE=Europe/Berlin',
      { TIME_ZONE: name },
    ],
  ),
  ['AUTH_TOKEN_SECONDS must be a whole number', { AUTH_TOKEN_SECONDS: '-1' }],
  ['AUTH_URL must be an address', { AUTH_URL: 'project.example.org' }],
  ['AUTH_URL must begin with https://', { AUTH_URL: 'http://project.example.org/auth/v1' }],
  ['AUTH_URL must be an address without', { AUTH_URL: 'https://me@project.example.org/auth/v1' }],
  ['AUTH_URL must be an address without', { AUTH_URL: 'https://project.example.org/auth/v1?key=1' }],
  ['AUTH_JWT_SECRET must have at least 32', { AUTH_URL: 'https://a.example', AUTH_JWT_SECRET: 'short' }],
  ["AUTH_ANON_KEY is the service's secret", { AUTH_URL: 'https://a.example', AUTH_ANON_KEY: 'sb_secret_1' }],
  ["AUTH_ANON_KEY is the service's secret", { AUTH_URL: 'https://a.example', AUTH_ANON_KEY: SERVICE_KEY }],
];

test.each(wrong)('a wrong value gives an error with its reason and an example: %s', (message, env) => {
  expect(() => readConfig(env)).toThrow(message);
  expect(() => readConfig(env)).toThrow(/Example: [A-Z_]+=/);
});

test.each([
  'benefits@example.org',
  'Benefits <benefits@example.org>',
  '"Doe, Ada" <ada@example.org>',
  'Größe <a@b.co>',
])('a sender is taken as it is written: %s', (from) => {
  const env = { SMTP_URL: 'smtp://mail.example.org', MAIL_FROM: from };
  expect(readConfig(env).mailFrom).toBe(from);
});

test('GOOGLE_ISSUER keeps its trailing slash, which is part of the issuer’s name', () => {
  const env = {
    GOOGLE_CLIENT_ID: 'x',
    GOOGLE_CLIENT_SECRET: 'y',
    GOOGLE_ISSUER: 'https://id.example.org/a/',
  };
  expect(readConfig(env).auth.google?.issuer).toBe('https://id.example.org/a/');
});

test('an unreadable .env file gives one line that names it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portal-env-'));
  expect(readEnvironment(folder).PATH).toBe(process.env.PATH);
  // Creates a folder named .env, which no user can read as a file. A file without read permission would not be enough:
  // the superuser can read it, and tests may run as superuser.
  await mkdir(join(folder, '.env'));
  expect(() => readEnvironment(folder)).toThrow(ConfigError);
  expect(() => readEnvironment(folder)).toThrow(`.env in ${folder} cannot be read`);
  await rm(folder, { recursive: true });
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
