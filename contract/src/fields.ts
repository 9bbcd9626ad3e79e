// Schemas of the fields that several API calls share, with their limits and error messages.
import * as z from 'zod/mini';
import { canonicalAddress, canonicalKey, canonicalLine, canonicalText } from './canonical.ts';

// PostgreSQL cannot store NUL and unpaired surrogates, which `markUnstorable` replaces by U+FFFF.
// CONTROL also matches all other control characters. UNASSIGNED matches undefined and private characters of Unicode.
// None of these characters is visible (R-MAP-01).
const UNSTORABLE = /[\0\p{Cs}\uFFFF]/u;
const CONTROL = /[\p{Cc}\p{Cs}\uFFFF]/u;
const CONTROL_IN_TEXT = /[^\P{Cc}\t\n\r]/u;
const UNASSIGNED = /[\p{Cn}\p{Co}]/u;
/** Maximum length of an e-mail address, in characters. */
export const EMAIL_MAX = 255;

// Accepts more than the rule for new addresses (`isMailAddress`), because people keep the addresses that are stored
// (N-303).
const EMAIL = /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"]+\.[^\s@<>()[\]\\,;:".]+$/u;
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
export const NO_ADDRESS = 'email must be an address such as name@example.org';

/**
 * Replaces each character that the database cannot store by U+FFFF, so that an imported file can be stored. The import
 * reports rows with U+FFFF as invalid, because no field accepts this character.
 */
export function markUnstorable(text: string): string {
  return text.replaceAll(/[\0\p{Cs}]/gu, '\uFFFF');
}

/** True if the database can store all characters of the text. */
export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text);
}

/**
 * Returns the schema of one line of text: canonical (`canonicalLine`), 1 to `max` characters (code points, N-40).
 * `message` is the error for a blank value.
 */
export function line(name: string, max: number, message = `${name} is required`) {
  return lineOf(canonicalLine, name, max, message);
}

/** Returns the schema of a code or another text that people compare: as `line`, but by `canonicalKey`. */
export function keyLine(name: string, max: number, message = `${name} is required`) {
  return lineOf(canonicalKey, name, max, message);
}

function lineOf(canonical: (text: string) => string, name: string, max: number, message: string) {
  return requiredText(name, message).check(
    z.overwrite(canonical),
    z.minLength(1, message),
    z.refine(
      (value) => value.length <= max || [...value].length <= max,
      `${name} must be at most ${max} characters`,
    ),
    z.refine((value) => !CONTROL.test(value), `${name} must not contain control characters`),
    assigned(name),
  );
}

function requiredText(name: string, message: string) {
  return z.string({
    error: ({ input }) => (input === undefined || input === null ? message : `${name} must be text`),
  });
}

/** Returns the schema of a canonical text of 1 to `max` characters, which may have several lines (`canonicalText`). */
export function text(name: string, max: number, message = `${name} is required`) {
  return requiredText(name, message).check(
    z.overwrite(canonicalText),
    z.minLength(1, message),
    z.maxLength(max, `${name} must be at most ${max} characters`),
    storable(name),
    z.refine((value) => !CONTROL_IN_TEXT.test(value), `${name} must not contain control characters`),
    assigned(name),
  );
}

function assigned(name: string) {
  return z.refine<string>((value) => !UNASSIGNED.test(value), {
    error: ({ input }) =>
      `${name} must not contain the character ${nameSign(UNASSIGNED.exec(String(input))?.[0])}`,
  });
}

const nameSign = (sign = '') => `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** Returns a check that rejects text with a character that the database cannot store. */
export function storable(name: string) {
  return z.refine<string>(isStorable, `${name} contains a character that cannot be stored`);
}

/** Returns a schema that turns a missing, null or blank value into null, and validates any other value by `schema`. */
export function orNull<T extends z.ZodMiniType<string, string>>(schema: T) {
  const isBlank = (value: unknown) =>
    value === undefined || value === null || (typeof value === 'string' && canonicalKey(value) === '');
  return z.pipe(
    // `schema` rejects values that are not text, so the assertion `as` is safe.
    z.transform((value: unknown) => (isBlank(value) ? null : value) as string | null),
    z.nullable(schema),
  );
}

/**
 * The id of a form that creates something. A repeated call with the same id and body gets the response of the first and
 * creates nothing; a repeated call with another body is refused with `id_in_use` (N-325).
 */
export const formId = z.optional(z.uuid('id must be a UUID'));

/** An e-mail address in its canonical form (A-07, R-MAP-03). For the address of a new person, see `isMailAddress`. */
export const email = addressOf(canonicalAddress);

/** The address of a known person, as typed, in lower case: a stored address may not be canonical (N-303). */
export const knownEmail = addressOf((typed) => typed.trim().toLowerCase());

function addressOf(change: (typed: string) => string) {
  return z.string('email is required').check(
    z.overwrite(change),
    z.minLength(1, 'email is required'),
    z.maxLength(EMAIL_MAX, 'email must be at most 255 characters'),
    z.refine((value) => EMAIL.test(value) && !CONTROL.test(value), NO_ADDRESS),
  );
}

const LOCAL_PART = /^(?!\.)(?!.*\.\.)[a-z0-9.!#$%&'*+=^_`{}~-]{1,64}(?<!\.)$/;
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.(?!$)|$)){2,}$/;

/** The domain of the texts that take the place of the addresses of erased people (R-PRIV-03). */
export const ERASED_DOMAIN = 'erased.invalid';

/**
 * True if a new person may have this canonical address: the rule of HTML for `<input type="email">`, but without `?`, `/`
 * and `|`, with a dot in the domain, and without a dot at the ends of the local part or twice in a row (R-MAP-03). False
 * for the domain of erased people.
 */
export function isMailAddress(address: string): boolean {
  const at = address.lastIndexOf('@');
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)];
  return address.length <= 254 && LOCAL_PART.test(local) && DOMAIN.test(domain) && domain !== ERASED_DOMAIN;
}

/** Maximum length of a web address, in characters. */
export const WEB_ADDRESS_MAX = 2048;

/** Returns the schema of a web address with http://, https:// or no scheme, which is stored as typed. */
export function webAddress(name: string, missing = `${name} is required`) {
  return keyLine(name, WEB_ADDRESS_MAX, missing).check(
    z.refine(isWebAddress, `${name} must be a web address`),
  );
}

/** True for http and https addresses and for addresses without a scheme, for example `partner.example/redeem`. */
export function isWebAddress(value: string): boolean {
  return parseWebAddress(value)?.hostname.includes('.') ?? false;
}

/**
 * Returns the address; null if it has another scheme than http and https, a user name or password, a backslash or a
 * space (N-325). Browsers read a backslash as a slash, so `https://a.example\@b.example` leads to a.example.
 */
export function parseWebAddress(value: string): URL | null {
  if (/[\s\\]/.test(value)) return null;
  const url = URL.parse(SCHEME.test(value) ? value : `https://${value}`);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  return /^[^/?#]*@/.test(value.replace(SCHEME, '')) ? null : url;
}

/** An identifier in a query or body. */
export const id = z.string('id is required').check(z.minLength(1), z.maxLength(64));

/** Returns the schema of a required identifier with this message. */
export function requiredId(message: string) {
  return z.string(message).check(z.minLength(1, message), z.maxLength(64));
}

/** Returns the schema of a list of products. `message` is the error for a value that is no list. */
export function productIds(message: string) {
  return z.array(id, message).check(z.maxLength(1000, 'product_ids must name at most 1000 products'));
}

/** An identifier in a path. It has no limit, because an identifier of the wrong form gets 404, not 400 (C-12). */
export const idInPath = z.string();

/** A time in a response, as ISO 8601 text in UTC. */
export const time = z.string();

/** A day in a response: YYYY-MM-DD, in the time zone of the portal (C-4). */
export const day = z.string();

/** Returns the schema of a day that staff enter, from 2000-01-01 to 2999-12-31. */
export function dayField(name: string) {
  return z
    .string(`${name} must be a day such as 2026-12-31`)
    .check(z.overwrite(canonicalLine), z.refine(isDay, `${name} must be a day such as 2026-12-31`));
}

export function isDay(value: string): boolean {
  if (!/^2\d{3}-\d{2}-\d{2}$/.test(value)) return false;
  // `Date` reads 2026-02-30 as the 2nd of March.
  const parsed = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(value);
}

/** Returns a check that the day `end` is not before the day `start`, if both are set. */
export function inOrder<Start extends string, End extends string>(start: Start, end: End) {
  return z.refine<Partial<Record<Start | End, string | null | undefined>>>(
    (days) => !(days[start] && days[end]) || (days[start] as string) <= (days[end] as string),
    { message: `${end} must not be before ${start}`, path: [end] },
  );
}

/** Minimum and maximum length of a reason or a short note, in characters. */
export const REASON_MIN = 3;
export const REASON_MAX = 200;

/** The reason that staff must give when they take access or a code away from a user (C-9). */
export const reason = line('reason', REASON_MAX).check(
  z.minLength(REASON_MIN, `reason must be at least ${REASON_MIN} characters`),
);

/** Returns the schema of the number of rows of a page, from 1 to `max`. */
export function rowLimit(max: number, message: string) {
  const range = `limit must be from 1 to ${max}`;
  return z.pipe(
    z.transform((value: unknown) => Number(value)),
    z.int(message).check(z.gte(1, range), z.lte(max, range)),
  );
}

/** Skipped rows are read all the same, so their number is limited. */
const OFFSET_MAX = 2_000;
const OFFSET_RANGE = `offset must be from 0 to ${OFFSET_MAX}`;

/**
 * Query parameters of a list. `limit` is the number of rows of a page; without it, the response contains all rows.
 * `cursor` is the cursor of the last row of the previous page. `offset` is the number of rows before the page, for pages
 * with a number (N-206). `q` is the text to search for.
 */
export const page = {
  limit: z.optional(rowLimit(500, 'limit must be a whole number')),
  cursor: z.optional(
    z.string().check(z.refine((value) => isCursor(value), 'cursor must be one that an earlier page gave')),
  ),
  offset: z.optional(
    z.pipe(
      z.transform((value: unknown) => Number(value)),
      z.int('offset must be a whole number').check(z.gte(0, OFFSET_RANGE), z.lte(OFFSET_MAX, OFFSET_RANGE)),
    ),
  ),
  q: z.optional(
    z.string().check(
      z.overwrite(canonicalKey),
      z.maxLength(255, 'q must be at most 255 characters'),
      z.refine((value) => !UNSTORABLE.test(value), 'q contains a character that no text here can hold'),
    ),
  ),
};

type PageQuery = {
  limit?: number | undefined;
  cursor?: string | undefined;
  offset?: number | undefined;
  q?: string | undefined;
};

function pageFault({ limit, cursor, offset, q }: PageQuery): string | null {
  if (limit === undefined && (cursor !== undefined || q)) return 'limit is required with cursor and q';
  if (limit === undefined && offset !== undefined) return 'limit is required with offset';
  return cursor !== undefined && offset !== undefined ? 'offset cannot be combined with cursor' : null;
}

/** Rejects a query with `cursor`, `offset` or `q` but without `limit`: only a list with pages can be searched. */
export const inPages = z.refine<PageQuery>((query) => pageFault(query) === null, {
  error: ({ input }) => pageFault(input as PageQuery) ?? '',
});

// A cursor is the id of the last row of a page. In a search, `-0` or `-1` follows for the first or second searched column,
// and then the text of this column in hexadecimal. The text must not contain NUL (`00`), which PostgreSQL cannot store.
function isCursor(value: string): boolean {
  const id = /^(\d{1,19})(?:-[01](?:(?!00)[\da-f]{2})*)?$/.exec(value)?.[1];
  return id !== undefined && BigInt(id) < 2n ** 63n;
}
