// Reads the text of a CSV file as records of its kind: a library parses, and we decide what the columns are.
import { Readable } from 'node:stream';
import { type CsvKind, csvKinds, unguardCell } from '@portal/contract';
import { CsvError, parse } from 'csv-parse';
import { AppError } from '../app-error.ts';

/**
 * A record: its cells by column name, trimmed, without the guard against formulas, missing ones blank; and the line of the
 * file that it begins on.
 */
export type CsvRecord = { row: number; cells: Record<string, string> };

const SLICE_CHARACTERS = 65_536;
const DELIMITERS = [',', ';', '\t'];

/** The columns of a kind, in the order in which rows at fault are kept and written. */
export function columnsOf(kind: CsvKind): readonly string[] {
  return [...csvKinds[kind].required, ...csvKinds[kind].optional];
}

/**
 * The records of `text`, which holds a header line (RFC 4180; also `;` and tab, as some spreadsheets write).
 * @throws AppError invalid_request when a required column is missing; before any record is answered.
 */
export async function* readCsv(kind: CsvKind, text: string): AsyncGenerator<CsvRecord> {
  const parser = parse({
    delimiter: findDelimiter(kind, text),
    bom: true,
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  });
  // In slices: given the whole text at once it would hold all records before it lets the first one go.
  Readable.from(sliceText(text)).pipe(parser);
  let names: string[] | undefined;
  for await (const { record, info } of parser as AsyncIterable<Parsed>) {
    if (names === undefined) names = readHeader(kind, record);
    else yield { row: info.lines - countLineBreaks(record), cells: readCells(kind, names, record) };
  }
}

type Parsed = { record: string[]; info: { lines: number } };

function* sliceText(text: string): Generator<string> {
  for (let start = 0; start < text.length; start += SLICE_CHARACTERS)
    yield text.slice(start, start + SLICE_CHARACTERS);
}

/**
 * Looks at a file before its first row is imported.
 * @throws AppError invalid_request when the header lacks a required column, or a quote is never closed.
 */
export async function checkCsv(kind: CsvKind, text: string): Promise<void> {
  // Closed quotes come in pairs; without that cheap sign the file is read to its end to be sure.
  const maybeOpen = text.split('"').length % 2 === 0;
  try {
    for await (const _record of readCsv(kind, text)) if (!maybeOpen) return;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new AppError('invalid_request', `The CSV file cannot be read: ${describe(error)}`, {
      cause: error,
    });
  }
}

function describe(error: CsvError): string {
  return error.code === 'CSV_QUOTE_NOT_CLOSED'
    ? 'a cell begins with a quote that is never closed'
    : error.message;
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

function countLineBreaks(record: string[]): number {
  return record.reduce((sum, cell) => sum + (cell.match(/\r\n|\r|\n/g)?.length ?? 0), 0);
}
