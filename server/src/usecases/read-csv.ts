// Reads the text of a CSV file as records.
import { setImmediate } from 'node:timers/promises';
import { type CsvKind, csvKinds, unescapeFormula } from '@portal/contract';
import { AppError } from '../app-error.ts';

/**
 * A record of a CSV file. `row` is the number of the line on which the record begins.
 * `cells` has the trimmed texts by column name; a missing cell is ''. An apostrophe that escapes a formula is removed.
 */
export type CsvRecord = { row: number; cells: Record<string, string> };

const DELIMITERS = [',', ';', '\t'];
const LINES_AT_ONCE = 1_000;

/**
 * Returns the columns of a kind of CSV file. The cells of invalid rows are stored and written in the order of these
 * columns.
 */
export function columnsOf(kind: CsvKind): readonly string[] {
  return [...csvKinds[kind].required, ...csvKinds[kind].optional];
}

/**
 * Yields the records of `text`, whose first line has the column names. The format is that of RFC 4180. Cells may also
 * be separated by semicolons or tabs, as some spreadsheets write them.
 * @throws AppError invalid_request if a required column is missing or a quote is never closed. The error for a missing
 * column is thrown before the first record is yielded.
 */
export async function* readCsv(kind: CsvKind, text: string): AsyncGenerator<CsvRecord> {
  let names: string[] | undefined;
  let lines = 0;
  for (const { row, cells, isQuoted } of splitLines(text, findDelimiter(kind, text))) {
    lines += 1;
    // Reading a file of 64 MB takes seconds. Every 1,000 lines, the process can serve other requests.
    if (lines % LINES_AT_ONCE === 0) await setImmediate();
    // A-89: in a file of one column, a line with only `""` is a blank code. Any other blank line is not a record.
    const mayBeBlankCode = isQuoted && cells.length === 1 && names?.length === 1;
    if (!mayBeBlankCode && cells.every((cell) => cell.trim() === '')) continue;
    if (names === undefined) names = readHeader(kind, cells);
    else yield { row, cells: readCells(kind, names, cells) };
  }
}

/**
 * Reads the whole file, so that an invalid file is refused before a row is imported. Returns the number of records.
 * @throws AppError invalid_request if a required column is missing, or a quote is never closed.
 */
export async function checkCsv(kind: CsvKind, text: string): Promise<number> {
  let records = 0;
  for await (const _record of readCsv(kind, text)) records += 1;
  return records;
}

type Line = {
  /** The number of the line in the file. A quoted cell may have line breaks; `row` is then the first of its lines. */
  row: number;
  cells: string[];
  /** True if the last cell of this line is quoted. */
  isQuoted: boolean;
};

// Splits the text into lines and cells. A quote inside a cell is normal text, for example in: 13" screen.
function* splitLines(text: string, delimiter: string): Generator<Line> {
  const unquoted = new RegExp(`[^${delimiter}\r\n]*`, 'y');
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  for (let row = 1; at < text.length; ) {
    const line: Line = { row, cells: [], isQuoted: false };
    for (;;) {
      const start = at;
      const opens = text[at] === '"';
      const close = opens ? findClosingQuote(text, at) : at;
      unquoted.lastIndex = opens ? close + 1 : at;
      unquoted.test(text);
      at = unquoted.lastIndex;
      line.isQuoted = opens && text.slice(close + 1, at).trim() === '';
      const breaks = opens ? (text.slice(start, close).match(/\r\n|\r|\n/g)?.length ?? 0) : 0;
      // A closing quote on a later line must be the end of the cell. If other text follows, the quote is the opening
      // quote of another cell, so the cell that begins at `at` has no closing quote.
      if (close === -1 || (breaks > 0 && !line.isQuoted)) throw neverClosed(row);
      line.cells.push(
        line.isQuoted ? text.slice(start + 1, close).replaceAll('""', '"') : text.slice(start, at),
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

/** Returns the index of the quote that closes the cell beginning at `at`, or -1 if the cell is never closed. */
function findClosingQuote(text: string, at: number): number {
  let close = text.indexOf('"', at + 1);
  while (close !== -1 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
  return close;
}

function neverClosed(row: number): AppError {
  const message = `The CSV file cannot be read: a cell on line ${row} begins with a quote that is never closed`;
  return new AppError('invalid_request', message);
}

function readHeader(kind: CsvKind, record: string[]): string[] {
  const names = record.map(normalise);
  const missing = csvKinds[kind].required.filter((column) => !names.includes(column));
  if (missing.length > 0) {
    throw new AppError(
      'invalid_request',
      `The CSV file has no column ${missing.map((name) => `'${name}'`).join(' and ')}`,
    );
  }
  return names;
}

function readCells(kind: CsvKind, names: string[], record: string[]): Record<string, string> {
  const cells: Record<string, string> = {};
  for (const column of columnsOf(kind))
    cells[column] = unescapeFormula((record[names.indexOf(column)] ?? '').trim());
  return cells;
}

function normalise(name: string): string {
  return name.trim().toLowerCase();
}

// Returns the delimiter that splits the header into the largest number of required columns.
function findDelimiter(kind: CsvKind, text: string): string {
  const header =
    text
      .replace(/^\uFEFF/, '')
      .trimStart()
      .split(/\r\n|\r|\n/, 1)[0] ?? '';
  const wanted: readonly string[] = csvKinds[kind].required;
  const countColumns = (delimiter: string) =>
    header.split(delimiter).filter((name) => wanted.includes(normalise(name.replaceAll('"', '')))).length;
  return DELIMITERS.toSorted((one, other) => countColumns(other) - countColumns(one))[0] ?? ',';
}
