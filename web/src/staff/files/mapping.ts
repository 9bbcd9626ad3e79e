// Finds the field of each column of a file, by its name and by its cells, for the step in which staff choose the columns
// (R-MAP-20).
import type { CsvField, CsvKind, CsvOptions, CsvStart } from '@portal/contract';
import {
  COLUMN_SHARE,
  CsvError,
  CsvLimitError,
  csvFieldOf,
  csvKinds,
  email,
  findLayout,
  isBlankLine,
  listIgnored,
  REQUIRED,
  readCell,
  readDay,
  SEPARATORS,
  type Separator,
  skipMarks,
  splitLines,
} from '@portal/contract';

export type Mapping = {
  /**
   * `unknown`: no column has the name of a required field. `repeated`: two columns have the name of one field. `ignored`: a
   * column that would be ignored looks like a field that no column fills. `clear`: nothing is doubtful.
   */
  why: 'unknown' | 'repeated' | 'ignored' | 'clear';
  /** The columns that would be ignored. */
  ignored: string[];
  /** The first lines, from the names of the columns on. */
  lines: string[][];
  /** Whether the first of the lines has the names of the columns. */
  header: boolean;
  /** The field of each column that the portal suggests; null for a column that is ignored. */
  fields: (CsvField | null)[];
  separator: Separator;
  /** The number of lines above the first of the lines. */
  skipped: number;
};

const SHOWN_LINES = 5;
/** The number of lines that decide what a column contains. */
const JUDGED_LINES = 1_000;

/** Throws the error again, unless it means that the server refuses the file with a reason. */
export function assertRefused(error: unknown): asserts error is CsvError {
  if (!(error instanceof CsvError) || error instanceof CsvLimitError) throw error;
}

/** Returns the fields that a column of this kind of file may have. */
export function listFields(kind: CsvKind): CsvField[] {
  const { required, optional } = csvKinds[kind];
  const parts = kind === 'users' ? ['first_name', 'last_name'] : [];
  const [first = '', ...others] = required;
  return kind === 'users' ? [first, ...others, ...parts, ...optional] : [...required, ...optional];
}

/** Returns the fields without which a file of this kind is refused. */
export const listRequired = (kind: CsvKind): readonly CsvField[] => REQUIRED[kind].required;

/**
 * Returns null if the file has no text, or the server refuses it whatever its columns are.
 * @throws CsvLimitError if the beginning of the file is beyond the limits of a line.
 */
export function readMapping(kind: CsvKind, text: string, options: CsvOptions): Mapping | null {
  try {
    const layout = findLayout(kind, text, options);
    if (layout === null) return null;
    const { delimiter, start, header } = layout;
    const all = readLines(text, { delimiter, start });
    const ignored = header ? listIgnored(kind, text, layout) : [];
    const why = ignored.some(({ isMissed }) => isMissed) ? 'ignored' : 'clear';
    const names = ignored.map(({ name }) => name);
    return complete(kind, text, {
      why,
      ignored: names,
      header,
      fields: layout.fields,
      all,
      delimiter,
      start,
    });
  } catch (error) {
    assertRefused(error);
    return error.unknown ? readUnknown(kind, text, error.unknown) : null;
  }
}

type Start = { delimiter: string; start: CsvStart };

function readUnknown(kind: CsvKind, text: string, start: Start): Mapping | null {
  try {
    const all = readLines(text, start);
    const [names = []] = all;
    const known = names.map((name) => csvFieldOf(kind, name));
    const fields = known.map((field, at) => (known.indexOf(field) < at ? null : field));
    const why = listRequired(kind).every((field) => fields.includes(field)) ? 'repeated' : 'unknown';
    return complete(kind, text, { why, ignored: [], header: true, fields, all, ...start });
  } catch (error) {
    assertRefused(error);
    return null;
  }
}

type Read = Pick<Mapping, 'why' | 'ignored' | 'header' | 'fields'> & Start & { all: string[][] };

function complete(kind: CsvKind, text: string, { all, delimiter, start, ...read }: Read): Mapping {
  const lines = all.slice(0, SHOWN_LINES);
  const width = Math.max(...lines.map((line) => line.length), 1);
  const named = Array.from({ length: width }, (_column, at) => read.fields[at] ?? null);
  const rows = read.header ? all.slice(1) : all;
  const fields = suggest(kind, { names: read.header ? (all[0] ?? []) : [], fields: named, rows });
  const separator = SEPARATORS.find((each) => each === delimiter) ?? ',';
  return { ...read, fields, lines, separator, skipped: start.row - skipMarks(text).start.row };
}

function readLines(text: string, { delimiter, start }: Start): string[][] {
  const lines: string[][] = [];
  try {
    for (const line of splitLines(text, delimiter, start)) {
      if (!isBlankLine(line)) lines.push(line.cells.map(readCell));
      if (lines.length === JUDGED_LINES) break;
    }
  } catch (error) {
    // The server names a fault further below.
    if (lines.length < SHOWN_LINES) throw error;
  }
  return lines;
}

/** A column of earlier days is no column of last days: perhaps the codes were delivered on these days. */
function isLaterDay(cell: string): boolean {
  const today = new Date().toISOString().slice(0, 10);
  return (['dmy', 'mdy'] as const).some((order) => (readDay(cell, order) ?? '') > today);
}

type Columns = { names: readonly string[]; fields: readonly (CsvField | null)[]; rows: readonly string[][] };

/**
 * Returns `fields` with a field for columns without one: the address or the last day, if the cells of exactly one column
 * are such, and a first or last name that stands alone.
 */
function suggest(kind: CsvKind, { names, fields, rows }: Columns): (CsvField | null)[] {
  const cellsOf = (at: number) => rows.map((row) => row[at] ?? '').filter((cell) => cell !== '');
  const consistsOf = (at: number, looks: (cell: string) => boolean) => {
    const cells = cellsOf(at);
    return cells.length > 0 && cells.filter(looks).length >= COLUMN_SHARE * cells.length;
  };
  const found = [...fields];
  const fill = (field: CsvField, matches: (at: number) => boolean) => {
    const isFilled = found.some((each, at) => each === field && cellsOf(at).length > 0);
    const places = found.flatMap((each, at) => (each === null && matches(at) ? [at] : []));
    const [place] = places;
    if (isFilled || place === undefined || places.length > 1) return;
    found.forEach((each, at) => {
      if (each === field) found[at] = null;
    });
    found[place] = field;
  };
  if (kind === 'coupons') fill('use_by', (at) => consistsOf(at, isLaterDay));
  if (kind !== 'users') return found;
  fill('email', (at) => consistsOf(at, (cell) => email.safeParse(cell).success));
  if (!found.includes('name'))
    for (const part of ['first_name', 'last_name'])
      fill(part, (at) => csvFieldOf(kind, names[at] ?? '') === part);
  return found;
}

/**
 * Returns the choices of staff as options of an upload. A field may have several columns only if these are the ones that
 * the file's names say.
 */
export function toOptions(
  kind: CsvKind,
  { fields, header, skipped }: Pick<Mapping, 'fields' | 'header' | 'skipped'>,
): CsvOptions {
  const columns: Record<CsvField, number> = {};
  for (const field of listFields(kind)) {
    const places = fields.flatMap((each, at) => (each === field ? [at + 1] : []));
    if (places.length < 2) columns[field] = places[0] ?? 0;
  }
  return { columns, header, skip_lines: skipped };
}
