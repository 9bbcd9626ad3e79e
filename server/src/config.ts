// Reads the environment, once; the only file that does. A wrong value ends the start with one readable line.
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { parseEnv } from 'node:util';
import { email as emailField } from '@portal/contract';

export type Config = {
  port: number;
  host: string;
  /** Origin that people type, without a trailing slash. */
  publicUrl: string;
  dataDir: string;
  databaseUrl: string | null;
  databasePrepare: boolean;
  /** 32 bytes; null: made in the data folder on first start. */
  secretKey: Buffer | null;
  workers: number;
  adminEmails: string[];
  smtpUrl: string | null;
  mailFrom: string | null;
  auth: {
    /** A service of the same protocol that signs people in instead of the embedded one. */
    hosted: { url: string; anonKey: string | null; jwtSecret: string | null } | null;
    google: { clientId: string; clientSecret: string; issuer: string } | null;
    tokenSeconds: number;
    linkSeconds: number;
    mailIntervalSeconds: number;
    reuseSeconds: number;
  };
  rateLimits: boolean;
  trustedProxies: number;
  brandFile: string | null;
  logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  metricsToken: string | null;
};

type Environment = Record<string, string | undefined>;

/** A value that cannot be used; its message names the variable, the fault and an example. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/**
 * The environment of this process over the `.env` file of `folder`, when there is one.
 * @throws ConfigError when there is one that cannot be read.
 */
export function readEnvironment(folder: string): Environment {
  let file: Environment = {};
  try {
    file = parseEnv(readFileSync(`${folder}/.env`, 'utf8'));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT'))
      throw new ConfigError(
        `.env in ${folder} cannot be read (${String(error)}). Give it to the portal's user.`,
      );
  }
  return { ...file, ...process.env };
}

/** The folder that a script was called in, which files on its command line are meant from. */
export function readCallerFolder(): string {
  return process.env.INIT_CWD ?? process.cwd();
}

/** @throws ConfigError for the first value that is missing or wrong. */
export function readConfig(env: Environment): Config {
  const read = reader(env);
  const port = read.integer('PORT', 3000, 1, 65_535);
  const publicUrl = read.origin('PUBLIC_URL', `http://localhost:${port}`);
  const databaseUrl = read.text('DATABASE_URL');
  const config: Config = {
    port,
    host: read.text('HOST') ?? '127.0.0.1',
    publicUrl,
    dataDir: read.text('DATA_DIR') ?? './data',
    databaseUrl,
    databasePrepare: read.toggle('DATABASE_PREPARE', true),
    secretKey: read.key('SECRET_KEY'),
    workers: read.integer('WORKERS', 1, 1, 256),
    adminEmails: read.emails('ADMIN_EMAILS'),
    smtpUrl: read.url('SMTP_URL', ['smtp:', 'smtps:'], 'smtps://user:password@mail.example.org'),
    mailFrom: read.text('MAIL_FROM'),
    auth: {
      hosted: readHosted(read),
      google: readGoogle(read),
      tokenSeconds: read.integer('AUTH_TOKEN_SECONDS', 3600, 1, 604_800),
      linkSeconds: read.integer('AUTH_LINK_SECONDS', 3600, 1, 604_800),
      mailIntervalSeconds: read.integer('AUTH_MAIL_INTERVAL_SECONDS', 60, 0, 86_400),
      reuseSeconds: read.integer('AUTH_REUSE_SECONDS', 10, 0, 3600),
    },
    rateLimits: read.toggle('RATE_LIMITS', true),
    trustedProxies: read.integer('TRUSTED_PROXIES', 0, 0, 32),
    brandFile: read.text('BRAND_FILE'),
    logLevel: read.oneOf('LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'),
    metricsToken: read.text('METRICS_TOKEN'),
  };
  checkTogether(config);
  return config;
}

/** True for an address that only this machine can reach. */
export function isLoopback(origin: string): boolean {
  const { hostname } = new URL(origin);
  return (
    hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'))
  );
}

function checkTogether(config: Config): void {
  const local = isLoopback(config.publicUrl);
  if (config.databaseUrl !== null && !/^postgres(ql)?:\/\//.test(config.databaseUrl)) {
    fail('DATABASE_URL', 'must begin with postgres://', 'postgres://portal:password@db.example.org/portal');
  }
  if (config.databaseUrl !== null && config.secretKey === null) {
    fail(
      'SECRET_KEY',
      'is required with DATABASE_URL: 32 random bytes in base64',
      '$(openssl rand -base64 32)',
    );
  }
  if (config.workers > 1 && config.databaseUrl === null) {
    fail('WORKERS', 'above 1 needs DATABASE_URL: the embedded database serves one process', '1');
  }
  if (config.smtpUrl === null && !local) {
    fail(
      'SMTP_URL',
      `is required when PUBLIC_URL (${config.publicUrl}) is no loopback address`,
      'smtps://user:password@mail.example.org',
    );
  }
  if (config.smtpUrl !== null && config.mailFrom === null) {
    fail('MAIL_FROM', 'is required with SMTP_URL', 'Benefits <benefits@example.org>');
  }
  if (!config.rateLimits && !local) {
    fail('RATE_LIMITS', `off is refused when PUBLIC_URL (${config.publicUrl}) is no loopback address`, 'on');
  }
}

function readHosted(read: ReturnType<typeof reader>): Config['auth']['hosted'] {
  const example = 'https://project.supabase.co/auth/v1';
  const url = read.url('AUTH_URL', ['http:', 'https:'], example);
  const anonKey = read.text('AUTH_ANON_KEY');
  const jwtSecret = read.text('AUTH_JWT_SECRET');
  if (url === null) return null;
  const { protocol, username, search, hash } = new URL(url);
  if (protocol !== 'https:' && !isLoopback(url))
    fail('AUTH_URL', 'must begin with https:// when it is no loopback address', example);
  if (username !== '' || search !== '' || hash !== '')
    fail('AUTH_URL', 'must be an address without user name, ? and #', example);
  if (anonKey !== null && isSecret(anonKey))
    fail('AUTH_ANON_KEY', "is the service's secret key, and every visitor would get it", 'sb_publishable_…');
  if (jwtSecret !== null && jwtSecret.length < 32)
    fail('AUTH_JWT_SECRET', 'must have at least 32 characters', '$(openssl rand -base64 32)');
  return { url, anonKey, jwtSecret };
}

/** Keys of hosted projects are named so, or are tokens that name their role. */
function isSecret(key: string): boolean {
  const claims = Buffer.from(key.split('.')[1] ?? '', 'base64url').toString();
  return key.startsWith('sb_secret_') || claims.includes('"service_role"');
}

function readGoogle(read: ReturnType<typeof reader>): Config['auth']['google'] {
  const clientId = read.text('GOOGLE_CLIENT_ID');
  const clientSecret = read.text('GOOGLE_CLIENT_SECRET');
  const issuer = read.url('GOOGLE_ISSUER', ['http:', 'https:'], 'https://accounts.google.com');
  if (clientId === null && clientSecret === null) return null;
  if (clientId === null)
    fail('GOOGLE_CLIENT_ID', 'is required with GOOGLE_CLIENT_SECRET', '1234.apps.example.org');
  if (clientSecret === null) fail('GOOGLE_CLIENT_SECRET', 'is required with GOOGLE_CLIENT_ID', 'a-secret');
  if (issuer?.startsWith('http:') && !isLoopback(issuer)) {
    fail('GOOGLE_ISSUER', 'must be https:// unless it is a loopback address', 'https://accounts.google.com');
  }
  // As it was written: to a provider, a slash at the end is part of its name.
  return { clientId, clientSecret, issuer: read.text('GOOGLE_ISSUER') ?? 'https://accounts.google.com' };
}

function fail(name: string, fault: string, example: string): never {
  throw new ConfigError(`${name} ${fault}. Example: ${name}=${example}`);
}

function reader(env: Environment) {
  const text = (name: string): string | null => env[name]?.trim() || null;
  const oneOf = <T extends string>(name: string, allowed: readonly T[], fallback: T): T => {
    const value = text(name) ?? fallback;
    return (
      allowed.find((choice) => choice === value) ??
      fail(name, `must be one of ${allowed.join(', ')}`, fallback)
    );
  };
  return {
    text,
    oneOf,
    toggle: (name: string, fallback: boolean): boolean =>
      oneOf(name, ['on', 'off'], fallback ? 'on' : 'off') === 'on',
    integer: (name: string, fallback: number, min: number, max: number): number => {
      const value = Number(text(name) ?? fallback);
      if (Number.isInteger(value) && value >= min && value <= max) return value;
      return fail(name, `must be a whole number from ${min} to ${max}`, String(fallback));
    },
    url: (name: string, protocols: readonly string[], example: string): string | null => {
      const value = text(name);
      if (value === null) return null;
      const protocol = URL.parse(value)?.protocol;
      if (protocol === undefined || !protocols.includes(protocol)) fail(name, 'must be an address', example);
      return value.replace(/\/$/, '');
    },
    origin: (name: string, fallback: string): string => {
      const value = text(name) ?? fallback;
      const url = URL.parse(value);
      const isOrigin =
        url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '';
      if (!isOrigin || url.username !== '' || url.hash !== '') {
        fail(name, 'must be http:// or https:// and a host, without a path', 'https://benefits.example.org');
      }
      return url.origin;
    },
    key: (name: string): Buffer | null => {
      const value = text(name);
      if (value === null) return null;
      const key = Buffer.from(value, 'base64');
      if (key.length !== 32) fail(name, 'must be 32 random bytes in base64', '$(openssl rand -base64 32)');
      return key;
    },
    emails: (name: string): string[] => {
      const parts = (text(name) ?? '').split(',').filter((part) => part.trim() !== '');
      return parts.map((part) => {
        const parsed = emailField.safeParse(part);
        return parsed.success
          ? parsed.data
          : fail(name, `holds '${part.trim()}', which is no address`, 'ada@example.org');
      });
    },
  };
}
