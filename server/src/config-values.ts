// Parses the values of environment variables: numbers, addresses, keys and so on. Throws a ConfigError if a value is
// invalid.
import { email as emailField } from '@portal/contract';
import { isTimeZone } from './day.ts';

export type Environment = Record<string, string | undefined>;

export const EXAMPLES = {
  database: 'postgres://portal:password@db.example.org/portal',
  smtp: 'smtps://user:password@mail.example.org',
  sender: 'Benefits <benefits@example.org>',
};
// Matches a sender: `address` or `name <address>`. A name with commas, brackets or similar characters must be quoted.
// Without quotes, the mail server would read such a name as several senders.
const SENDER = /^(?:(?:"[^"\\\r\n]*"\s|[^"<>(),;:@[\]\\\r\n]*)<([^<>\s]+)>|([^<>\s,;]+))$/;

/** Thrown if a setting is invalid. The message names the variable, says what is wrong and gives an example. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** Throws a ConfigError about the variable `name`. `fault` says what is wrong; `example` is a valid value. */
export function fail(name: string, fault: string, example: string): never {
  throw new ConfigError(`${name} ${fault}. Example: ${name}=${example}`);
}

/**
 * Returns an object of functions. Each function reads a variable of a certain kind from `env`. If the variable is not
 * set, the function returns its argument `fallback`; a function without this argument returns null.
 * @throws ConfigError (each function) if the value is invalid.
 */
export function reader(env: Environment) {
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
    /** Keeps spaces at the beginning and the end. */
    exactText: (name: string): string | null => env[name] || null,
    oneOf,
    toggle: (name: string, fallback: boolean): boolean =>
      oneOf(name, ['on', 'off'], fallback ? 'on' : 'off') === 'on',
    integer,
    /** A number from 1 to `max` that has no default. */
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
