// The kinds of field that calls are made of, with their limits and what is said when a value does not fit.
import * as z from 'zod/mini';

// PostgreSQL stores neither NUL nor half a surrogate pair; other control characters have no place in a name or code.
const UNSTORABLE = /[\0\p{Cs}\uFFFF]/u;
const CONTROL = /[\p{Cc}\p{Cs}\uFFFF]/u;
const EMAIL = /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"]+\.[^\s@<>()[\]\\,;:".]+$/u;
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** A file's text as it can be stored until its rows are judged: the noncharacter U+FFFF, which no field takes, for the rest. */
export function markUnstorable(text: string): string {
  return text.replaceAll(/[\0\p{Cs}]/gu, '\uFFFF');
}

/** One line of text, trimmed, 1 to `max` characters. `message` is said when it is empty or missing. */
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

/** Text of one or more lines, trimmed, 1 to `max` characters. */
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

/** Refuses characters that the database cannot store. */
export function storable(name: string) {
  return z.refine<string>(
    (value) => !UNSTORABLE.test(value),
    `${name} contains a character that cannot be stored`,
  );
}

/** As `schema`, but missing, null and blank all mean null. */
export function orNull<T extends z.ZodMiniType<string, string>>(schema: T) {
  const isBlank = (value: unknown) =>
    value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
  return z.pipe(
    // What is not blank is judged by `schema`, whatever it is.
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

/** A web address: http, https, or no scheme at all. Stored as it was typed. */
export function webAddress(name: string, missing = `${name} is required`) {
  return line(name, 2048, missing).check(z.refine(isWebAddress, `${name} must be a web address`));
}

/** True for http and https addresses and for addresses without a scheme, such as `partner.example/redeem`. */
export function isWebAddress(value: string): boolean {
  if (/\s/.test(value)) return false;
  const url = URL.parse(SCHEME.test(value) ? value : `https://${value}`);
  return (
    url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname.includes('.')
  );
}

/** An identifier as it came from a path or body; whether it exists is the database's answer. */
export const id = z.string('id is required').check(z.minLength(1), z.maxLength(64));

/** A time on the wire: ISO 8601, UTC. */
export const time = z.string();

/** One page of a list: `limit` rows (all of them without), from `cursor`, which an earlier page gave. */
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

/** Searching and turning pages are for lists in pages: the whole of a list is not cut or sorted. */
export const inPages = z.refine<{
  limit?: number | undefined;
  cursor?: string | undefined;
  q?: string | undefined;
}>(
  ({ limit, cursor, q }) => limit !== undefined || (cursor === undefined && !q),
  'limit is required with cursor and q',
);

// A row's id; in a search followed by which part the row is in, and in hex the text (without NUL) that sorts it there.
function isCursor(value: string): boolean {
  const id = /^(\d{1,19})(?:-[01](?:(?!00)[\da-f]{2})*)?$/.exec(value)?.[1];
  return id !== undefined && BigInt(id) < 2n ** 63n;
}
