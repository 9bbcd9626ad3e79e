// Reads the text of a CSV file as records of its kind.
import { setImmediate } from 'node:timers/promises';
import { type CsvKind, csvKinds, unguardCell } from '@portal/contract';
import { AppError } from '../app-error.ts';

/**
 * A record: its cells by column name, trimmed, without the guard against formulas, missing ones blank; and the line of the
 * file that it begins on.
 */
export type CsvRecord = { row: number; cells: Record<string, string> };

const DELIMITERS = [',', ';', '\t'];
const LINES_AT_ONCE = 1_000;

/** The columns of a kind, in the order in which invalid rows are kept and written. */
export function columnsOf(kind: CsvKind): readonly string[] {
  return [...csvKinds[kind].required, ...csvKinds[kind].optional];
}

/**
 * The records of `text`, which holds a header line (RFC 4180; also `;` and tab, as some spreadsheets write).
 * @throws AppError invalid_request when a required column is missing, before any record is answered; or at a quote that is
 * never closed.
 */
export async function* readCsv(kind: CsvKind, text: string): AsyncGenerator<CsvRecord> {
  let names: string[] | undefined;
  let lines = 0;
  for (const { row, cells, isQuoted } of splitLines(text, findDelimiter(kind, text))) {
    lines += 1;
    // A file of 64 MB takes seconds, in which others are served too.
    if (lines % LINES_AT_ONCE === 0) await setImmediate();
    // A-89: a blank cell is a record only where it was written on purpose.
    const isMeant = isQuoted && cells.length === 1 && names?.length === 1;
    if (!isMeant && cells.every((cell) => cell.trim() === '')) continue;
    if (names === undefined) names = readHeader(kind, cells);
    else yield { row, cells: readCells(kind, names, cells) };
  }
}

/**
 * Reads the file through before its first row is imported; answers how many records it has.
 * @throws AppError invalid_request when the header lacks a required column, or a quote is never closed.
 */
export async function checkCsv(kind: CsvKind, text: string): Promise<number> {
  let records = 0;
  for await (const _record of readCsv(kind, text)) records += 1;
  return records;
}

type Line = {
  /** Its number; the first one's, when quoted cells go over several. */
  row: number;
  cells: string[];
  /** True when the last cell stands in quotes. */
  isQuoted: boolean;
};

// A quote within a cell, such as that of 13" screens, is text.
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
      // A quote that the next rows' first one seems to close was not closed either.
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

/** Where the cell that begins with a quote at `at` is closed; -1: nowhere. */
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
    cells[column] = unguardCell((record[names.indexOf(column)] ?? '').trim());
  return cells;
}

function normalise(name: string): string {
  return name.trim().toLowerCase();
}

// The one under which the header shows a column that must be there.
function findDelimiter(kind: CsvKind, text: string): string {
  const header =
    text
      .replace(/^\uFEFF/, '')
      .trimStart()
      .split(/\r\n|\r|\n/, 1)[0] ?? '';
  const wanted: readonly string[] = csvKinds[kind].required;
  const shows = (delimiter: string) =>
    header.split(delimiter).filter((name) => wanted.includes(normalise(name.replaceAll('"', '')))).length;
  return DELIMITERS.toSorted((one, other) => shows(other) - shows(one))[0] ?? ',';
}
