// Reads the configuration from environment variables; other modules do not read them. If a value is invalid, the portal
// does not start and prints one line with the reason.
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { parseEnv } from 'node:util';
import { email as emailField } from '@portal/contract';
import { isTimeZone } from './day.ts';

const GOOGLE = 'https://accounts.google.com';

export type Config = ReturnType<typeof readConfig>;

/**
 * Returns the environment variables of this process and of the file `.env` in `folder`, if the file exists. The
 * variables of the process take precedence.
 * @throws ConfigError if the file exists but cannot be read.
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

/** Returns the folder from which the operator called script/portal; relative file names start in this folder. */
export function readCallerFolder(): string {
  return process.env.INIT_CWD ?? process.cwd();
}

/** Returns the checked configuration. @throws ConfigError for the first missing or invalid value. */
export function readConfig(env: Environment) {
  const read = reader(env);
  const port = read.integer('PORT', 3000, 1, 65_535);
  const publicUrl = read.origin('PUBLIC_URL', `http://localhost:${port}`);
  const databaseUrl = read.text('DATABASE_URL');
  const config = {
    port,
    host: read.text('HOST') ?? '127.0.0.1',
    /** The origin under which browsers open the portal, for example https://portal.example.org (no trailing slash). */
    publicUrl,
    dataDir: read.text('DATA_DIR') ?? './data',
    databaseUrl,
    databasePrepare: read.toggle('DATABASE_PREPARE', true),
    /** 32 bytes. If null, the portal uses the key in its data folder, which the first start generates. */
    secretKey: read.key('SECRET_KEY'),
    workers: read.integer('WORKERS', 1, 1, 256),
    /** People with these addresses can sign in and have the role owner (N-01). */
    adminEmails: read.emails('ADMIN_EMAILS'),
    smtpUrl: read.url('SMTP_URL', ['smtp:', 'smtps:'], EXAMPLES.smtp),
    mailFrom: read.sender('MAIL_FROM'),
    /** Maximum number of mails that all processes together send in a minute. Null: no limit. */
    smtpPerMinute: read.count('SMTP_PER_MINUTE', 1_000_000),
    auth: {
      /** Settings of a hosted sign-in service. If null, the portal uses its embedded sign-in service. */
      hosted: readHosted(read),
      google: readGoogle(read),
      tokenSeconds: read.integer('AUTH_TOKEN_SECONDS', 3600, 1, 604_800),
      linkSeconds: read.integer('AUTH_LINK_SECONDS', 3600, 1, 604_800),
      mailIntervalSeconds: read.integer('AUTH_MAIL_INTERVAL_SECONDS', 60, 0, 86_400),
      reuseSeconds: read.integer('AUTH_REUSE_SECONDS', 10, 0, 3600),
      sessionIdleDays: read.integer('AUTH_SESSION_IDLE_DAYS', 30, 1, 3650),
      sessionMaxDays: read.integer('AUTH_SESSION_MAX_DAYS', 180, 1, 3650),
    },
    /** False disables the limits per hour and the rate limits of the sign-in service. */
    rateLimits: read.toggle('RATE_LIMITS', true),
    /** True if lists show masked codes to all roles (R-IMP-41). */
    codesMasked: read.toggle('CODES_MASKED', false),
    /** Days after which texts about people are deleted (R-PRIV-06); 0 keeps them for ever. */
    retention: {
      importDays: read.integer('RETAIN_IMPORT_DAYS', 90, 0, 3650),
      mailDays: read.integer('RETAIN_MAIL_DAYS', 180, 0, 3650),
    },
    trustedProxies: read.integer('TRUSTED_PROXIES', 0, 0, 32),
    brandFile: read.text('BRAND_FILE'),
    /** IANA name of the time zone in which staff enter and see days, for example Europe/Berlin (C-4). */
    timeZone: read.timeZone('TIME_ZONE', 'UTC'),
    logLevel: read.oneOf('LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'),
    metricsToken: read.token('METRICS_TOKEN'),
    /**
     * The passphrase of backups, which may begin or end with spaces. If null, script/portal prompts for a passphrase.
     */
    backupPassphrase: read.exactText('BACKUP_PASSPHRASE'),
  };
  checkTogether(config);
  return config;
}

/** True if the host of `origin` is a loopback address, which only programs on this machine can reach. */
export function isLoopback(origin: string): boolean {
  const { hostname } = new URL(origin);
  return (
    hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'))
  );
}

/** True if the connection string names several hosts, as in `postgres://user:password@a,b/database`. */
function namesSeveralHosts(databaseUrl: string): boolean {
  const [, , authority = ''] = databaseUrl.split(/[/?]/);
  return authority.slice(authority.lastIndexOf('@') + 1).includes(',');
}

function checkTogether(config: Config): void {
  const local = isLoopback(config.publicUrl);
  if (config.databaseUrl !== null && !/^postgres(ql)?:\/\//.test(config.databaseUrl)) {
    fail('DATABASE_URL', 'must begin with postgres://', EXAMPLES.database);
  }
  if (config.databaseUrl !== null && namesSeveralHosts(config.databaseUrl)) {
    fail(
      'DATABASE_URL',
      'must name one host: put a proxy in front of several servers and name its address (docs/scaling.md)',
      EXAMPLES.database,
    );
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
      EXAMPLES.smtp,
    );
  }
  if (config.smtpUrl !== null && config.mailFrom === null)
    fail('MAIL_FROM', 'is required with SMTP_URL', EXAMPLES.sender);
  if (config.smtpUrl === null && config.mailFrom !== null)
    fail('SMTP_URL', 'is required with MAIL_FROM', EXAMPLES.smtp);
  if (config.databaseUrl === null && !config.databasePrepare)
    fail('DATABASE_URL', 'is required with DATABASE_PREPARE=off', EXAMPLES.database);
  // A browser refreshes a session when its access token is about to expire. If tokens lived longer than
  // AUTH_SESSION_IDLE_DAYS, each session would end before its first refresh.
  if (config.auth.tokenSeconds >= config.auth.sessionIdleDays * 86_400) {
    fail('AUTH_TOKEN_SECONDS', 'must be shorter than AUTH_SESSION_IDLE_DAYS', '3600');
  }
  if (!config.rateLimits && !local) {
    fail('RATE_LIMITS', `off is refused when PUBLIC_URL (${config.publicUrl}) is no loopback address`, 'on');
  }
}

function readHosted(read: ReturnType<typeof reader>) {
  const example = 'https://project.supabase.co/auth/v1';
  const url = read.url('AUTH_URL', ['http:', 'https:'], example);
  const anonKey = read.token('AUTH_ANON_KEY');
  const jwtSecret = read.text('AUTH_JWT_SECRET');
  if (url === null) {
    const needing = anonKey !== null ? 'AUTH_ANON_KEY' : jwtSecret !== null ? 'AUTH_JWT_SECRET' : null;
    return needing && fail('AUTH_URL', `is required with ${needing}`, example);
  }
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

// True if `key` is a secret key of the hosted service: a text with the prefix `sb_secret_`, or a JWT with the role
// service_role.
function isSecret(key: string): boolean {
  const claims = Buffer.from(key.split('.')[1] ?? '', 'base64url').toString();
  return key.startsWith('sb_secret_') || claims.includes('"service_role"');
}

function readGoogle(read: ReturnType<typeof reader>) {
  const clientId = read.token('GOOGLE_CLIENT_ID');
  const clientSecret = read.token('GOOGLE_CLIENT_SECRET');
  const issuer = read.url('GOOGLE_ISSUER', ['http:', 'https:'], GOOGLE);
  if (clientId === null) {
    const needing =
      clientSecret !== null ? 'GOOGLE_CLIENT_SECRET' : (issuer ?? GOOGLE) !== GOOGLE ? 'GOOGLE_ISSUER' : null;
    return needing && fail('GOOGLE_CLIENT_ID', `is required with ${needing}`, '1234.apps.example.org');
  }
  if (clientSecret === null) fail('GOOGLE_CLIENT_SECRET', 'is required with GOOGLE_CLIENT_ID', 'a-secret');
  if (issuer?.startsWith('http:') && !isLoopback(issuer)) {
    fail('GOOGLE_ISSUER', 'must be https:// unless it is a loopback address', GOOGLE);
  }
  // The name of an issuer may end with a slash, which `read.url` removes. So the text is read again.
  return { clientId, clientSecret, issuer: read.text('GOOGLE_ISSUER') ?? GOOGLE };
}

type Environment = Record<string, string | undefined>;

const EXAMPLES = {
  database: 'postgres://portal:password@db.example.org/portal',
  smtp: 'smtps://user:password@mail.example.org',
  sender: 'Benefits <benefits@example.org>',
};
// Matches a sender: `address` or `name <address>`. A name with commas, brackets or similar characters must be quoted,
// because a mail server could read such a name as several senders.
const SENDER = /^(?:(?:"[^"\\\r\n]*"\s|[^"<>(),;:@[\]\\\r\n]*)<([^<>\s]+)>|([^<>\s,;]+))$/;

/** Thrown if a setting is invalid. The message contains the variable, the problem and an example. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** Throws a ConfigError about the variable `name`. `fault` is the problem, and `example` is a valid value. */
function fail(name: string, fault: string, example: string): never {
  throw new ConfigError(`${name} ${fault}. Example: ${name}=${example}`);
}

/**
 * Returns functions that read variables from `env`, one function for each kind of value. For a missing variable, a
 * function returns its argument `fallback`, else null. For an invalid value, it throws a ConfigError.
 */
function reader(env: Environment) {
  const text = (name: string): string | null => env[name]?.trim() || null;
  const oneOf = <T extends string>(name: string, allowed: readonly T[], fallback: T): T => {
    const value = text(name) ?? fallback;
    return (
      allowed.find((choice) => choice === value) ??
      fail(name, `must be one of ${allowed.join(', ')}`, fallback)
    );
  };
  const integer = (name: string, fallback: number, min: number, max: number): number => {
    const value = text(name) ?? String(fallback);
    if (/^\d+$/.test(value) && Number(value) >= min && Number(value) <= max) return Number(value);
    return fail(name, `must be a whole number from ${min} to ${max}`, String(fallback));
  };
  return {
    text,
    /** Reads a text including the spaces at both ends. */
    exactText: (name: string): string | null => env[name] || null,
    oneOf,
    toggle: (name: string, fallback: boolean): boolean =>
      oneOf(name, ['on', 'off'], fallback ? 'on' : 'off') === 'on',
    integer,
    /** Reads a whole number from 1 to `max`. There is no default value. */
    count: (name: string, max: number): number | null =>
      text(name) === null ? null : integer(name, 60, 1, max),
    timeZone: (name: string, fallback: string): string => {
      const value = text(name) ?? fallback;
      return isTimeZone(value) ? value : fail(name, 'must be an IANA time zone', 'Europe/Berlin');
    },
    url: (name: string, protocols: readonly string[], example: string): string | null => {
      const value = text(name);
      if (value === null) return null;
      const url = URL.parse(value);
      if (!url?.hostname || !protocols.includes(url.protocol)) fail(name, 'must be an address', example);
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
      if (key.length !== 32 || /[^\w+/=-]/.test(value))
        fail(name, 'must be 32 random bytes in base64', '$(openssl rand -base64 32)');
      return key;
    },
    /** Reads a text that can be sent in an HTTP header: printable ASCII characters without spaces. */
    token: (name: string): string | null => {
      const value = text(name);
      if (value === null || /^[!-~]+$/.test(value)) return value;
      return fail(name, 'must be letters, digits and signs of ASCII, without blanks', 'a1b2c3');
    },
    sender: (name: string): string | null => {
      const value = text(name);
      const found = SENDER.exec(value ?? '');
      if (value === null || emailField.safeParse(found?.[1] ?? found?.[2]).success) return value;
      return fail(name, 'must be one e-mail address, with or without a name', EXAMPLES.sender);
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
