// Splits the text of a CSV file into lines and cells. Pages and the server read files with the same functions.

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
 * @throws CsvError if a quote is never closed.
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
      unquoted.lastIndex = opens ? close + 1 : at;
      unquoted.test(text);
      at = unquoted.lastIndex;
      line.isQuoted = opens && text.slice(close + 1, at).trim() === '';
      const breaks = opens ? (text.slice(from, close).match(/\r\n|\r|\n/g)?.length ?? 0) : 0;
      // A closing quote on a later line must be the end of the cell. If other text follows, the quote is the opening
      // quote of another cell, so the cell that begins at `at` has no closing quote.
      if (close === -1 || (breaks > 0 && !line.isQuoted)) throw neverClosed(row);
      line.cells.push(
        line.isQuoted ? text.slice(from + 1, close).replaceAll('""', '"') : text.slice(from, at),
      );
      row += breaks;
      if (text[at] !== delimiter) break;
      at += 1;
    }
    yield line;
    row += 1;
    at += text.startsWith('\r\n', at) ? 2 : 1;
  }
}

/** True if no cell of the line has text. */
export function isBlankLine({ cells }: CsvLine): boolean {
  return cells.every((cell) => cell.trim() === '');
}

/** Returns the index of the quote that closes the cell beginning at `at`, or -1 if the cell is never closed. */
function findClosingQuote(text: string, at: number): number {
  let close = text.indexOf('"', at + 1);
  while (close !== -1 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
  return close;
}

function neverClosed(row: number): CsvError {
  const message = `The CSV file cannot be read: a cell on line ${row} begins with a quote that is never closed`;
  return new CsvError(message);
}
