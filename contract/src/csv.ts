// Reads and writes CSV, on pages and on the server: decodes and splits files, recognises the names of columns, writes
// lines. Also has the columns and a sample file for each kind of import.

import { canonicalKey } from './canonical.ts';
import { PRODUCT_FACTS, PRODUCT_TEXTS } from './products.ts';

/** The encodings of CSV files: the labels of `TextDecoder`, and the names that people know (R-MAP-13). */
export const ENCODINGS = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 LE',
  'utf-16be': 'UTF-16 BE',
  'windows-1250': 'Windows-1250',
  'windows-1251': 'Windows-1251',
  'windows-1252': 'Windows-1252',
  macintosh: 'Mac Roman',
  shift_jis: 'Shift-JIS',
} as const;
export type Encoding = keyof typeof ENCODINGS;

/** Returns the text of a CSV file in the encoding that `findEncoding` finds. See `decodeAs`. */
export function decodeCsv(bytes: Uint8Array): string {
  return decodeAs(bytes, findEncoding(bytes));
}

/**
 * Returns the text of a CSV file. Bytes that the encoding does not have become U+FFFF, so that only their rows are
 * invalid (R-MAP-13).
 */
export function decodeAs(bytes: Uint8Array, encoding: Encoding): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    // U+FFFD that the file itself has is marked too: it is the trace of a byte that was lost earlier.
    return new TextDecoder(encoding).decode(bytes).replaceAll('\uFFFD', '\uFFFF');
  }
}

/**
 * Returns the encoding of a CSV file. A byte order mark selects UTF-8 or UTF-16. Without one, the file is UTF-8 if at
 * least half of its characters beyond ASCII are valid UTF-8, otherwise Windows-1252.
 */
export function findEncoding(bytes: Uint8Array): Encoding {
  const [first, second, third] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  return isMostlyUtf8(new TextDecoder('utf-8').decode(bytes)) ? 'utf-8' : 'windows-1252';
}

// In other encodings, two bytes that happen to be UTF-8 are rarer than single bytes that are not.
function isMostlyUtf8(text: string): boolean {
  let valid = 0;
  let broken = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0xfffd) broken += 1;
    else if (unit > 0x7f) valid += 1;
  }
  return valid >= broken;
}

/** Returns the number of non-blank lines without the header, for the upload notice (R-CONST-05). */
export function countCsvRecords(text: string): number {
  // An array of all lines would need more memory than the file.
  const restOfLine = /\S[^\r\n]*/g;
  let lines = 0;
  while (restOfLine.test(text)) lines += 1;
  return Math.max(lines - 1, 0);
}

// Matches text that a spreadsheet would run as a formula.
const FORMULA = /^(?:[=+@\t\r]|-.*[^\p{L}\p{N}-])/su;
// Match text that a spreadsheet would show, and save, as another value. A day such as 2026-12-31 gets no apostrophe:
// exports have columns of days.
const READ_AS_NUMBER = [
  /^0\d+$/, // 00123 is saved as 123
  /^\d{12,}$/, // 123456789012 is saved as 1.23457E+11
  /^\d[\d.,]*[.,%]\d*%?$/, // 1.50 is saved as 1.5
  /^\d+(?:[.,]\d+)?e[+-]?\d+$/i, // 1E5 is saved as 100000
  /^(?!\d{4}-\d\d-\d\d$)\d{1,4}[/-]\d{1,2}(?:[/-]\d{1,4})?$/, // 1/2 is saved as a day
  /^\d{1,2}[ ./-]?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[ ./-]?\d{0,4}$/i, // 1-DEC too
  /^\d+:\d\d(?::\d\d)?(?: ?[ap]m)?$/i, // 12:30 is saved as 12:30:00 PM
];
// Matches text behind the apostrophe with which spreadsheets mark a text. `writeCsvLine` adds another apostrophe, and
// `readCell` removes one (N-304).
const GUARDED = /^'+[\d=+\-@\t\r]/;
// Matches a text as Excel writes it, so that it stays a text: ="00123".
const EXCEL_TEXT = /^="((?:[^"]|"")*)"$/;
// Matches a separator inside a cell and the apostrophes behind it, if a formula follows: a spreadsheet with another
// separator than the comma splits the cell there, also within quotes (N-324).
const INNER_FORMULA =
  /([,;|\t\r\n])('*)(?=[^\S\t\r\n"]*(?:"[^\S\t\r\n"]*)*(?:[=+@]|-[^,;|\t\r\n]*[^\p{L}\p{N},;|\t\r\n-]))/gu;

/**
 * Returns one line of CSV with its line break. Adds an apostrophe before each text that a spreadsheet would run as a
 * formula, also inside a cell, or read as a number or a day and so change, and before each text from which `readCell` would
 * remove an apostrophe (R-IMP-22). Spreadsheets show text behind an apostrophe as it is. A value of type number gets none.
 */
export function writeCsvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map((value) => (typeof value === 'number' ? String(value) : writeCell(value ?? ''))).join(',')}\r\n`;
}

/** The beginning of a CSV file, by which spreadsheets detect UTF-8. */
export const BYTE_ORDER_MARK = '\uFEFF';

function writeCell(text: string): string {
  const inner = text.replace(INNER_FORMULA, "$1'$2");
  const isGuarded = [FORMULA, GUARDED, ...READ_AS_NUMBER].some((pattern) => pattern.test(text));
  const harmless = isGuarded ? `'${inner}` : inner;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/**
 * Returns the value of a cell, trimmed: the text of Excel's `="00123"`, and any other text without the apostrophes that
 * spreadsheets and `writeCsvLine` add (R-MAP-11).
 */
export function readCell(cell: string): string {
  const text = cell.trim();
  const [, excelText] = text.startsWith('=') ? (EXCEL_TEXT.exec(text) ?? []) : [];
  if (excelText !== undefined) return excelText.replaceAll('""', '"').trim();
  if (!text.includes("'")) return text;
  const inner = text.replace(
    INNER_FORMULA,
    (_all, separator: string, marks: string) => separator + marks.slice(1),
  );
  return GUARDED.test(text) ? inner.slice(1) : inner;
}

const REQUIRED_TEXTS = ['name', 'description', 'url'] as const;
const OPTIONAL_TEXTS = PRODUCT_TEXTS.filter((text) => !('required' in text)).map(({ name }) => name);

/** The columns of R-APROD-06 only: a file of products needs no others. */
function sampleProducts(): string {
  const columns = [...REQUIRED_TEXTS, ...OPTIONAL_TEXTS, 'shared_coupon'];
  const rows = ['false', 'true'].map((isShared, row) =>
    columns.map((name) => PRODUCT_TEXTS.find((text) => text.name === name)?.samples[row] ?? isShared),
  );
  return [columns, ...rows].map(writeCsvLine).join('');
}

/** The columns of each kind of import. A file may have them in any order, with names in upper or lower case (A-40). */
export const csvKinds = {
  products: {
    required: REQUIRED_TEXTS,
    optional: [...OPTIONAL_TEXTS, 'shared_coupon' as const, ...PRODUCT_FACTS.map(({ name }) => name)],
    sample: { name: 'products_template.csv', text: sampleProducts() },
  },
  users: {
    required: ['email', 'name'],
    optional: ['phone_number', 'payment_id'],
    sample: {
      name: 'users_template.csv',
      text: [
        'email,name,phone_number,payment_id',
        'sample.learner@example.org,Sample Learner,+44 20 7946 0000,',
        'another.learner@example.org,Another Learner,,PAY-1001',
        '',
      ].join('\r\n'),
    },
  },
  coupons: {
    required: ['coupon_code'],
    optional: ['use_by'],
    sample: { name: 'coupons_template.csv', text: 'coupon_code\r\nSAMPLE-CODE-1\r\nSAMPLE-CODE-2\r\n' },
  },
} as const;

export type CsvKind = keyof typeof csvKinds;

/**
 * Thrown if a file cannot be imported as it is. `unknown` is set if staff can choose the columns: no column has the name of
 * a required field, or two have the name of one field.
 */
export class CsvError extends Error {
  override name = 'CsvError';
  readonly unknown: { delimiter: string; start: CsvStart } | undefined;

  constructor(message: string, unknown?: CsvError['unknown']) {
    super(message);
    this.unknown = unknown;
  }
}

/** Thrown if a line has too many columns, or a cell too many characters (N-321). */
export class CsvLimitError extends CsvError {
  override name = 'CsvLimitError';
  /** True if a cell is too long, perhaps because the file has another delimiter. */
  readonly isCellTooLong: boolean;

  constructor(message: string, { isCellTooLong = false } = {}) {
    super(message);
    this.isCellTooLong = isCellTooLong;
  }
}

/** Limits of a row, which bound time and memory. */
export const CSV_COLUMNS_MAX = 1_000;
export const CSV_CELL_MAX = 100_000;
/** Maximum length of a quoted cell in the file. Each quote in the cell is doubled, and each end has one quote. */
const QUOTED_MAX = 2 * CSV_CELL_MAX + 2;

export type CsvLine = {
  /** The line number in the file. If cells of this line contain line breaks, the number of the first line. */
  row: number;
  /** The index in the text at which the line begins. */
  at: number;
  cells: string[];
  /** True if the last cell of this line is quoted. */
  isQuoted: boolean;
};

/** Where the text of a file begins: index and line number. */
export type CsvStart = { at: number; row: number };

/**
 * Yields the lines of a text in the format of RFC 4180. Spaces and tabs around a quoted cell are not part of the cell
 * (R-MAP-10). A quote inside an unquoted cell is normal text: 13" screen.
 * @throws CsvError if a quote is never closed. @throws CsvLimitError if a line is beyond the limits.
 */
export function* splitLines(
  text: string,
  delimiter: string,
  { at: start, row: firstRow }: CsvStart,
): Generator<CsvLine> {
  const unquoted = new RegExp(`[^${delimiter}\r\n]*`, 'y');
  let at = start;
  for (let row = firstRow; at < text.length; ) {
    const line: CsvLine = { row, at, cells: [], isQuoted: false };
    for (;;) {
      if (isSpace(text.charCodeAt(at))) at = skipSpaces(text, at, delimiter);
      const from = at;
      const opens = text[at] === '"';
      const close = opens ? findClosingQuote(text, at) : at;
      if (close - at > QUOTED_MAX) throw tooLong(row, { opens });
      unquoted.lastIndex = opens ? close + 1 : at;
      unquoted.test(text);
      at = unquoted.lastIndex;
      line.isQuoted = opens && text.slice(close + 1, at).trim() === '';
      const breaks = opens ? (text.slice(from, close).match(/\r\n|\r|\n/g)?.length ?? 0) : 0;
      // A closing quote on a later line must end the cell. If other text follows the quote, this quote opens another cell,
      // and the cell that begins at `from` is never closed.
      if (close === -1 || (breaks > 0 && !line.isQuoted)) throw neverClosed(row);
      if (at - from > QUOTED_MAX) throw tooLong(row, { opens });
      const cell = line.isQuoted ? text.slice(from + 1, close).replaceAll('""', '"') : text.slice(from, at);
      if (cell.length > CSV_CELL_MAX) throw tooLong(row, { opens });
      if (line.cells.length === CSV_COLUMNS_MAX)
        throw new CsvLimitError(`The CSV file cannot be read: line ${line.row} has more than 1,000 columns`);
      line.cells.push(cell);
      row += breaks;
      if (text[at] !== delimiter) break;
      at += 1;
    }
    yield line;
    row += 1;
    at += text.startsWith('\r\n', at) ? 2 : 1;
  }
}

const isSpace = (code: number) => code === 32 || code === 9;

/** Returns the index of the quote if only spaces and tabs come before the quote; otherwise `at`. */
function skipSpaces(text: string, at: number, delimiter: string): number {
  let to = at;
  while (text[to] === ' ' || (text[to] === '\t' && delimiter !== '\t')) to += 1;
  return text[to] === '"' ? to : at;
}

export function isBlankLine({ cells }: CsvLine): boolean {
  return cells.every((cell) => canonicalKey(cell) === '');
}

/** Returns the index of the quote that closes the cell at `at`, -1 if there is none, or any index behind the limit. */
function findClosingQuote(text: string, at: number): number {
  let close = text.indexOf('"', at + 1);
  while (close !== -1 && close - at <= QUOTED_MAX && text[close + 1] === '"')
    close = text.indexOf('"', close + 2);
  return close;
}

function tooLong(row: number, { opens }: { opens: boolean }): CsvLimitError {
  return new CsvLimitError(
    opens
      ? `The CSV file cannot be read: a cell on line ${row} has more than 100,000 characters; perhaps its quote is never closed`
      : `The CSV file cannot be read: a cell on line ${row} has more than 100,000 characters`,
    { isCellTooLong: true },
  );
}

function neverClosed(row: number): CsvError {
  const message = `The CSV file cannot be read: a cell on line ${row} begins with a quote that is never closed`;
  return new CsvError(message);
}

/** A field of a kind of file. Users may have `first_name` and `last_name` in place of `name`. */
export type CsvField = string;

// Other names of fields, without spaces, hyphens and underscores: in the portal's languages, and as exports of Shopify,
// Stripe, Google, Outlook, Moodle, Canvas, Teachable and Kajabi spell them (R-MAP-21).
const SYNONYMS: Record<CsvKind, Record<CsvField, string>> = {
  products: {},
  users: {
    email: 'mail emailaddress mailadresse emailadresse customeremail email1value useremail primaryemail',
    name: 'fullname billingname customername vollständigername vorundnachname',
    phone_number:
      'phone mobile mobilephone cellphone telephone billingphone phone1value ' +
      'telefon telefonnummer handy handynummer mobil mobilnummer mobiltelefon',
    first_name: 'firstname givenname vorname',
    last_name: 'lastname surname familyname nachname familienname',
  },
  coupons: {
    coupon_code:
      'code coupon voucher vouchercode promocode giftcode discountcode gutschein gutscheincode aktionscode rabattcode',
    use_by:
      'expires expiry expirydate expirationdate expiresat expireson validuntil validto redeemby ' +
      'lastday letztertag gültigbis gueltigbis einlösbarbis einloesbarbis einlösenbis einloesenbis einzulösenbis ' +
      'ablaufdatum verfallsdatum verfälltam',
  },
};

const NAME_MAX = 100;

/** Returns the name of a column without case, spaces, hyphens and underscores. */
export const simplifyName = (name: string) =>
  canonicalKey(name)
    .toLowerCase()
    .replaceAll(/[\s_-]/g, '');

const FIELDS = Object.fromEntries(
  Object.entries(csvKinds).map(([kind, { required, optional }]) => [
    kind,
    new Map([
      ...[...required, ...optional].map((field) => [simplifyName(field), field] as const),
      ...Object.entries(SYNONYMS[kind as CsvKind]).flatMap(([field, names]) =>
        names.split(' ').map((name) => [name, field] as const),
      ),
    ]),
  ]),
) as Record<CsvKind, Map<string, CsvField>>;

/** Returns the name of a column without the time zone that an export adds, such as `use_by (Europe/Berlin)` (N-315). */
function withoutZone(name: string): string {
  const [, plain, zone] = /^(.+?) ?\(([\w+-]+(?:\/[\w+-]+)*)\)$/.exec(name) ?? [];
  if (plain === undefined) return name;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return plain;
  } catch {
    return name;
  }
}

/**
 * Returns the field of the column `name`; null if it is unknown. Ignores case, spaces, hyphens and underscores, and a
 * time zone in brackets at the end.
 */
export function csvFieldOf(kind: CsvKind, name: string): CsvField | null {
  // Cells of the first line may have 100,000 characters, which would be slow to simplify.
  if (name.length > NAME_MAX) return null;
  return FIELDS[kind].get(simplifyName(withoutZone(name))) ?? null;
}
