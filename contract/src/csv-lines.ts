// Splits the text of a CSV file into lines and cells. Pages and the server read files with the same functions.
import { canonicalKey } from './canonical.ts';

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

/** Limits of a line. They bound the time and the memory that one line takes. */
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
