// Schemas of the fields that several API calls share, with their limits and error messages.
import * as z from 'zod/mini';
import { canonicalAddress, canonicalKey, canonicalLine, canonicalText } from './canonical.ts';

// UNSTORABLE matches NUL and unpaired surrogates, because PostgreSQL cannot store them. UNSTORABLE also matches U+FFFF,
// with which `markUnstorable` replaces NUL and unpaired surrogates.
// CONTROL matches the same characters and all other control characters. UNASSIGNED matches characters that Unicode does
// not define, and private ones. Neither has a look that people could compare (R-MAP-01).
const UNSTORABLE = /[\0\p{Cs}\uFFFF]/u;
const CONTROL = /[\p{Cc}\p{Cs}\uFFFF]/u;
const CONTROL_IN_TEXT = /[^\P{Cc}\t\n\r]/u;
const UNASSIGNED = /[\p{Cn}\p{Co}]/u;
/** Most characters of an e-mail address. */
export const EMAIL_MAX = 255;

// Accepts more than the rule for new addresses (`isMailAddress`), because people keep the addresses that are stored
// (N-303).
const EMAIL = /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"]+\.[^\s@<>()[\]\\,;:".]+$/u;
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
/** The message for a text that is no address. */
export const NO_ADDRESS = 'email must be an address such as name@example.org';

/**
 * Puts U+FFFF in the place of each character that the database cannot store, so that an imported file can be stored.
 * Later the import reports each row with U+FFFF as invalid, because no field accepts that character.
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

/** Returns the schema of a coupon code or another text that people compare: as `line`, but by `canonicalKey`. */
export function keyLine(name: string, max: number, message = `${name} is required`) {
  return lineOf(canonicalKey, name, max, message);
}

function lineOf(canonical: (text: string) => string, name: string, max: number, message: string) {
  return z
    .string({
      error: ({ input }) => (input === undefined || input === null ? message : `${name} must be text`),
    })
    .check(
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

/** Returns the schema of a canonical text of 1 to `max` characters, which may have several lines (`canonicalText`). */
export function text(name: string, max: number, message = `${name} is required`) {
  return z
    .string({
      error: ({ input }) => (input === undefined || input === null ? message : `${name} must be text`),
    })
    .check(
      z.overwrite(canonicalText),
      z.minLength(1, message),
      z.maxLength(max, `${name} must be at most ${max} characters`),
      storable(name),
      z.refine((value) => !CONTROL_IN_TEXT.test(value), `${name} must not contain control characters`),
      assigned(name),
    );
}

// Names the character, because nobody can see it.
function assigned(name: string) {
  return z.refine<string>((value) => !UNASSIGNED.test(value), {
    error: ({ input }) =>
      `${name} must not contain the character ${nameSign(UNASSIGNED.exec(String(input))?.[0])}`,
  });
}

const nameSign = (sign = '') => `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** Returns a check that rejects text with a character that the database cannot store. `name` is the field's name. */
export function storable(name: string) {
  return z.refine<string>(isStorable, `${name} contains a character that cannot be stored`);
}

/** Returns a schema that turns a missing, null or blank value into null, and validates any other value by `schema`. */
export function orNull<T extends z.ZodMiniType<string, string>>(schema: T) {
  const isBlank = (value: unknown) =>
    value === undefined || value === null || (typeof value === 'string' && canonicalKey(value) === '');
  return z.pipe(
    // Passes every value that is not blank to `schema` unchanged, even a number, because `schema` rejects values that
    // are not text. TypeScript needs the assertion `as`, because the type of `schema` accepts only text.
    z.transform((value: unknown) => (isBlank(value) ? null : value) as string | null),
    z.nullable(schema),
  );
}

/**
 * Schema of the id of a form that creates something. Calls with the same id and the same body create it once, and get the
 * result of the first; with another body, they are refused with `id_in_use` (N-325).
 */
export const formId = z.optional(z.uuid('id must be a UUID'));

/**
 * Schema of an e-mail address of at most 255 characters, in its canonical form (A-07, R-MAP-03). Accepts addresses that
 * no new person may have: `isMailAddress` checks those.
 */
export const email = addressOf(canonicalAddress);

/**
 * Schema of an address by which a call looks for a known person. Returns the address as it was typed, in lower case: a
 * stored address may differ from its canonical form (N-303).
 */
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

/**
 * True if a new person may have this address, which must be in its canonical form: the rule of HTML for an input of the
 * type email, without `?`, `/` and `|`, and with a dot in the domain, but with no dot at the ends of the local part or
 * twice in a row (R-MAP-03).
 */
export function isMailAddress(address: string): boolean {
  const at = address.lastIndexOf('@');
  return address.length <= 254 && LOCAL_PART.test(address.slice(0, at)) && DOMAIN.test(address.slice(at + 1));
}

/** Longest web address, in characters. */
export const WEB_ADDRESS_MAX = 2048;

/**
 * Returns the schema of a web address that begins with http:// or https://, or has no scheme. The schema does
 * not add a scheme: the address is stored as it was typed, in its canonical form.
 */
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
 * space (N-325). Browsers read a backslash as a slash, so `https://a.example\@b.example` would not show where it leads.
 */
export function parseWebAddress(value: string): URL | null {
  if (/[\s\\]/.test(value)) return null;
  const url = URL.parse(SCHEME.test(value) ? value : `https://${value}`);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  // Also an empty user name, as in `https://@b.example`.
  return /^[^/?#]*@/.test(value.replace(SCHEME, '')) ? null : url;
}

/** Schema of an identifier in a query or body. The schema does not check that a row with this identifier exists. */
export const id = z.string('id is required').check(z.minLength(1), z.maxLength(64));

/**
 * Schema of the identifier in a path. Has no limit, because an identifier of the wrong form gets 404, not 400 (C-12).
 * The router limits the length of a path segment.
 */
export const idInPath = z.string();

/** Schema of a time in a response, as ISO 8601 text in UTC. */
export const time = z.string();

/** Schema of a day in a response: YYYY-MM-DD, in the time zone of the portal (C-4). */
export const day = z.string();

/** Schema of a day that staff enter, from 2000-01-01 to 2999-12-31. */
export function dayField(name: string) {
  return z
    .string(`${name} must be a day such as 2026-12-31`)
    .check(z.overwrite(canonicalLine), z.refine(isDay, `${name} must be a day such as 2026-12-31`));
}

// The constructor `Date` accepts 2026-02-30 and returns the 2nd of March. So the function compares the parsed day with
// the text.
export function isDay(value: string): boolean {
  if (!/^2\d{3}-\d{2}-\d{2}$/.test(value)) return false;
  const parsed = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(value);
}

/**
 * Returns a check that the day in the field `end` is not before the day in the field `start`. If one of the two days is
 * missing or null, the check passes.
 */
export function inOrder<Start extends string, End extends string>(start: Start, end: End) {
  return z.refine<Partial<Record<Start | End, string | null | undefined>>>(
    (days) => !(days[start] && days[end]) || (days[start] as string) <= (days[end] as string),
    { message: `${end} must not be before ${start}`, path: [end] },
  );
}

/** Fewest and most characters of a reason or a short note. */
export const REASON_MIN = 3;
export const REASON_MAX = 200;

/** Schema of the reason that staff must give when they take access or a code away from a user (C-9). */
export const reason = line('reason', REASON_MAX).check(
  z.minLength(REASON_MIN, `reason must be at least ${REASON_MIN} characters`),
);

/**
 * Query parameters of a list. `limit` is the number of rows; if `limit` is missing, the response contains all rows.
 * `cursor` is the cursor of the last row of the previous page; if `cursor` is missing, the response contains the first
 * page. `q` is the text to search for.
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
      z.overwrite(canonicalKey),
      z.maxLength(255, 'q must be at most 255 characters'),
      z.refine((value) => !UNSTORABLE.test(value), 'q contains a character that no text here can hold'),
    ),
  ),
};

/**
 * Check that rejects a query with `cursor` or `q` but without `limit`. Without `limit` the list has no pages, and only
 * lists with pages can be searched.
 */
export const inPages = z.refine<{
  limit?: number | undefined;
  cursor?: string | undefined;
  q?: string | undefined;
}>(
  ({ limit, cursor, q }) => limit !== undefined || (cursor === undefined && !q),
  'limit is required with cursor and q',
);

// A cursor begins with the id of the last row of a page. In a search, two parts follow the id. The first part, `-0` or
// `-1`, says which of two columns was searched. The second part is the text of this column in hexadecimal. The text
// must not contain NUL (`00`), because PostgreSQL cannot store NUL.
function isCursor(value: string): boolean {
  const id = /^(\d{1,19})(?:-[01](?:(?!00)[\da-f]{2})*)?$/.exec(value)?.[1];
  return id !== undefined && BigInt(id) < 2n ** 63n;
}
