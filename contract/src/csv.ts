// Columns and a sample file for each kind of CSV import. Decodes and splits uploaded files, recognises the names of their
// columns, and writes CSV lines. Pages and the server read files with the same functions.

import { canonicalKey } from './canonical.ts';
import { PRODUCT_TEXTS } from './products.ts';

/**
 * Returns the text of a CSV file. A byte order mark selects UTF-8 or UTF-16. Without a byte order mark, the file is
 * decoded as UTF-8 if its bytes are valid UTF-8, otherwise as Windows-1252.
 */
export function decodeCsv(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** Returns the number of records that the upload notice shows: the non-blank lines without the header (R-CONST-05). */
export function countCsvRecords(text: string): number {
  // Counts the lines one by one: an array of all lines would need more memory than the file itself.
  const restOfLine = /\S[^\r\n]*/g;
  let lines = 0;
  while (restOfLine.test(text)) lines += 1;
  return Math.max(lines - 1, 0);
}

// Matches text that a spreadsheet would run as a formula. `writeCsvLine` adds an apostrophe before such text, and
// `unescapeFormula` removes this apostrophe. Also matches formulas that already begin with apostrophes: they get one
// more apostrophe. So `unescapeFormula` never removes an apostrophe of the original text.
const FORMULA = /^'*(?:[=+@\t\r]|-.*[^\p{L}\p{N}-])/su;
// The same for a formula behind a separator inside a cell: a spreadsheet whose separator is not the comma splits the cell
// there, also within quotes. Matches the separator and the apostrophes behind it (N-324).
const INNER_FORMULA =
  /([,;|\t\r\n])('*)(?=[^\S\t\r\n"]*(?:"[^\S\t\r\n"]*)*(?:[=+@]|-[^,;|\t\r\n]*[^\p{L}\p{N},;|\t\r\n-]))/gu;

/**
 * Returns one line of CSV with its line break. If a spreadsheet would run a cell as a formula, adds an apostrophe
 * before this cell, and one behind each separator in a cell behind which a formula stands. Spreadsheets show a cell with
 * an apostrophe as plain text.
 */
export function writeCsvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map((value) => writeCell(String(value ?? ''))).join(',')}\r\n`;
}

/**
 * Returns the first line of a CSV file: the names of its columns, after a byte-order mark. Spreadsheets need the mark to
 * detect UTF-8.
 */
export function writeCsvHead(columns: readonly string[]): string {
  return `\uFEFF${writeCsvLine(columns)}`;
}

function writeCell(text: string): string {
  const inner = text.replace(INNER_FORMULA, "$1'$2");
  const harmless = FORMULA.test(text) ? `'${inner}` : inner;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** Removes the apostrophes that `writeCsvLine` adds before formulas. Returns any other text unchanged. */
export function unescapeFormula(text: string): string {
  const inner = text.replace(
    INNER_FORMULA,
    (_all, separator: string, marks: string) => separator + marks.slice(1),
  );
  return text.startsWith("'") && FORMULA.test(text) ? inner.slice(1) : inner;
}

const REQUIRED_TEXTS = ['name', 'description', 'url'] as const;
const OPTIONAL_TEXTS = [
  ...PRODUCT_TEXTS.filter((text) => !('required' in text)).map(({ name }) => name),
  'shared_coupon' as const,
];

function sampleProducts(): string {
  const columns = [...REQUIRED_TEXTS, ...OPTIONAL_TEXTS];
  const rows = ['false', 'true'].map((isShared, row) =>
    columns.map((name) => PRODUCT_TEXTS.find((text) => text.name === name)?.samples[row] ?? isShared),
  );
  return [columns, ...rows].map(writeCsvLine).join('');
}

/**
 * The required and the optional columns of the CSV file, for each kind of import. In a file the columns may have any
 * order, and their names may be in upper or lower case (A-40).
 */
export const csvKinds = {
  products: {
    required: REQUIRED_TEXTS,
    optional: OPTIONAL_TEXTS,
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
 * Thrown if a file cannot be imported as it is. `unknown` is set if the file has several columns, and a field that it must
 * have is not among their names: staff can say which column holds it.
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
  /** True if a cell is too long. With another delimiter, it may be several cells. */
  readonly isCellTooLong: boolean;

  constructor(message: string, { isCellTooLong = false } = {}) {
    super(message);
    this.isCellTooLong = isCellTooLong;
  }
}

/** Limits of a row. They bound the time and the memory that one row takes. */
export const CSV_COLUMNS_MAX = 1_000;
export const CSV_CELL_MAX = 100_000;
/** Within a quoted cell, a quote is written as two. The cell has two more quotes, at its ends. */
const QUOTED_MAX = 2 * CSV_CELL_MAX + 2;

export type CsvLine = {
  /** The number of the line in the file. A quoted cell may have line breaks; `row` is then the first of its lines. */
  row: number;
  cells: string[];
  /** True if the last cell of this line is quoted. */
  isQuoted: boolean;
};

/** Where the text of a file begins: the index of its first character, and the number of its line. */
export type CsvStart = { at: number; row: number };

/**
 * Yields the lines of the text, with their cells. The format is that of RFC 4180. A quote inside a cell is normal text,
 * for example in: 13" screen.
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
    const line: CsvLine = { row, cells: [], isQuoted: false };
    for (;;) {
      const from = at;
      const opens = text[at] === '"';
      const close = opens ? findClosingQuote(text, at) : at;
      if (close - at > QUOTED_MAX) throw tooLong(row, { opens });
      unquoted.lastIndex = opens ? close + 1 : at;
      unquoted.test(text);
      at = unquoted.lastIndex;
      line.isQuoted = opens && text.slice(close + 1, at).trim() === '';
      const breaks = opens ? (text.slice(from, close).match(/\r\n|\r|\n/g)?.length ?? 0) : 0;
      // A closing quote on a later line must be the end of the cell. If other text follows, the quote is the opening
      // quote of another cell, so the cell that begins at `at` has no closing quote.
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

/** True if no cell of the line has text that can be seen. */
export function isBlankLine({ cells }: CsvLine): boolean {
  return cells.every((cell) => canonicalKey(cell) === '');
}

/**
 * Returns the index of the quote that closes the cell beginning at `at`, or -1 if the cell is never closed. Returns the
 * index of any quote behind the limit if the cell goes on there.
 */
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

/**
 * A field of a kind of file, or the first or the last name of a person. A file of users may have the columns
 * `first_name` and `last_name` in the place of `name`.
 */
export type CsvField = string;

// Other names of fields, without spaces, hyphens and underscores: in the portal's languages, and as exports of Shopify,
// Stripe, Google, Outlook, Moodle, Canvas, Teachable and Kajabi spell them (R-MAP-21).
const SYNONYMS: Record<CsvKind, Record<CsvField, readonly string[]>> = {
  products: {},
  users: {
    email: [
      ...['mail', 'emailaddress', 'mailadresse', 'emailadresse', 'customeremail'],
      ...['email1value', 'useremail', 'primaryemail'],
    ],
    name: ['fullname', 'billingname', 'customername', 'vollständigername', 'vorundnachname'],
    phone_number: [
      ...['phone', 'mobile', 'mobilephone', 'cellphone', 'telephone', 'billingphone', 'phone1value'],
      ...['telefon', 'telefonnummer', 'handy', 'handynummer', 'mobil', 'mobilnummer', 'mobiltelefon'],
    ],
    first_name: ['firstname', 'givenname', 'vorname'],
    last_name: ['lastname', 'surname', 'familyname', 'nachname', 'familienname'],
  },
  coupons: {
    coupon_code: [
      ...['code', 'coupon', 'voucher', 'vouchercode', 'promocode', 'giftcode', 'discountcode'],
      ...['gutschein', 'gutscheincode', 'aktionscode', 'rabattcode'],
    ],
    use_by: [
      ...[
        'expires',
        'expiry',
        'expirydate',
        'expirationdate',
        'expiresat',
        'expireson',
        'validuntil',
        'validto',
      ],
      ...[
        'redeemby',
        'gültigbis',
        'gueltigbis',
        'einlösbarbis',
        'einloesbarbis',
        'ablaufdatum',
        'verfallsdatum',
      ],
    ],
  },
};

/** No name of a column is longer. */
const NAME_MAX = 100;

const simplify = (name: string) =>
  canonicalKey(name)
    .toLowerCase()
    .replaceAll(/[\s_-]/g, '');

const FIELDS = Object.fromEntries(
  Object.entries(csvKinds).map(([kind, { required, optional }]) => [
    kind,
    new Map([
      ...[...required, ...optional].map((field) => [simplify(field), field] as const),
      ...Object.entries(SYNONYMS[kind as CsvKind]).flatMap(([field, names]) =>
        names.map((name) => [name, field] as const),
      ),
    ]),
  ]),
) as Record<CsvKind, Map<string, CsvField>>;

/**
 * Returns the field that the column `name` holds in a file of this kind; null if the name is unknown. Ignores case,
 * spaces, hyphens and underscores.
 */
export function csvFieldOf(kind: CsvKind, name: string): CsvField | null {
  // The first line of a file may hold cells of 100,000 characters.
  if (name.length > NAME_MAX) return null;
  return FIELDS[kind].get(simplify(name)) ?? null;
}
