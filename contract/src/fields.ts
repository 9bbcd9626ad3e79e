// Schemas of the fields that calls share, with their limits and error messages.
import * as z from 'zod/mini';

// PostgreSQL cannot store NUL or half a surrogate pair. Names and codes must not contain other control characters
// either.
const UNSTORABLE = /[\0\p{Cs}\uFFFF]/u;
const CONTROL = /[\p{Cc}\p{Cs}\uFFFF]/u;
const EMAIL = /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"]+\.[^\s@<>()[\]\\,;:".]+$/u;
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/**
 * Replaces each character that the database cannot store by the noncharacter U+FFFF. No field accepts U+FFFF, so the
 * row with it is reported as invalid later.
 */
export function markUnstorable(text: string): string {
  return text.replaceAll(/[\0\p{Cs}]/gu, '\uFFFF');
}

/** Schema of one line of text, trimmed, 1 to `max` characters. `message` is the error for an empty or missing value. */
export function line(name: string, max: number, message = `${name} is required`) {
  return z
    .string({
      error: ({ input }) => (input === undefined || input === null ? message : `${name} must be text`),
    })
    .check(
      z.trim(),
      z.minLength(1, message),
      z.maxLength(max, `${name} must be at most ${max} characters`),
      z.refine((value) => !CONTROL.test(value), `${name} must not contain control characters`),
    );
}

/** Schema of text with one or more lines, trimmed, 1 to `max` characters. */
export function text(name: string, max: number, message = `${name} is required`) {
  return z
    .string({
      error: ({ input }) => (input === undefined || input === null ? message : `${name} must be text`),
    })
    .check(
      z.trim(),
      z.minLength(1, message),
      z.maxLength(max, `${name} must be at most ${max} characters`),
      storable(name),
    );
}

/** Check that refuses characters which the database cannot store. */
export function storable(name: string) {
  return z.refine<string>(
    (value) => !UNSTORABLE.test(value),
    `${name} contains a character that cannot be stored`,
  );
}

/** Like `schema`, but a missing, null or blank value becomes null. */
export function orNull<T extends z.ZodMiniType<string, string>>(schema: T) {
  const isBlank = (value: unknown) =>
    value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
  return z.pipe(
    // A value of another type is passed through, so that `schema` reports it.
    z.transform((value: unknown) => (isBlank(value) ? null : value) as string | null),
    z.nullable(schema),
  );
}

/** An e-mail address, trimmed and in lower case, at most 255 characters. */
export const email = z.string('email is required').check(
  z.trim(),
  z.toLowerCase(),
  z.minLength(1, 'email is required'),
  z.maxLength(255, 'email must be at most 255 characters'),
  z.refine(
    (value) => EMAIL.test(value) && !CONTROL.test(value),
    'email must be an address such as name@example.org',
  ),
);

/** Schema of a web address: http, https, or without a scheme. The text is stored as it was typed. */
export function webAddress(name: string, missing = `${name} is required`) {
  return line(name, 2048, missing).check(z.refine(isWebAddress, `${name} must be a web address`));
}

/** True for http and https addresses and for addresses without a scheme, for example `partner.example/redeem`. */
export function isWebAddress(value: string): boolean {
  if (/\s/.test(value)) return false;
  const url = URL.parse(SCHEME.test(value) ? value : `https://${value}`);
  return (
    url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname.includes('.')
  );
}

/** An identifier from a path or body. The schema does not check that it exists. */
export const id = z.string('id is required').check(z.minLength(1), z.maxLength(64));

/** A time in JSON: ISO 8601, UTC. */
export const time = z.string();

/**
 * Query of a list: `limit` rows (all if missing), after `cursor` from an earlier page, filtered by the search text `q`.
 */
export const page = {
  limit: z.optional(
    z.pipe(
      z.transform((value: unknown) => Number(value)),
      z
        .int('limit must be a whole number')
        .check(z.gte(1, 'limit must be from 1 to 500'), z.lte(500, 'limit must be from 1 to 500')),
    ),
  ),
  cursor: z.optional(
    z.string().check(z.refine((value) => isCursor(value), 'cursor must be one that an earlier page gave')),
  ),
  q: z.optional(
    z.string().check(
      z.trim(),
      z.maxLength(255, 'q must be at most 255 characters'),
      z.refine((value) => !UNSTORABLE.test(value), 'q contains a character that no text here can hold'),
    ),
  ),
};

/** `cursor` and `q` work only on lists in pages: a list without `limit` is neither searched nor continued. */
export const inPages = z.refine<{
  limit?: number | undefined;
  cursor?: string | undefined;
  q?: string | undefined;
}>(
  ({ limit, cursor, q }) => limit !== undefined || (cursor === undefined && !q),
  'limit is required with cursor and q',
);

// Format of a cursor: the id of the last row. In a search, `-0` or `-1` (the searched column) and the row's sort text
// in hex without NUL follow the id.
function isCursor(value: string): boolean {
  const id = /^(\d{1,19})(?:-[01](?:(?!00)[\da-f]{2})*)?$/.exec(value)?.[1];
  return id !== undefined && BigInt(id) < 2n ** 63n;
}
