// Defines the columns and a sample file for each kind of CSV import. Decodes uploaded CSV files and writes CSV lines.
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
