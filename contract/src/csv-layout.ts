// Finds the layout of a CSV file: its delimiter, whether its first line has names, the field of each column, the columns
// that an import ignores (R-MAP-22), and the format of days (R-MAP-23).

import {
  CsvError,
  type CsvField,
  type CsvKind,
  type CsvStart,
  csvFieldOf,
  readCell,
  splitLines,
} from './csv.ts';
import { refuseOtherContent } from './csv-content.ts';
import {
  chooseDelimiter,
  findHead,
  findsComments,
  KINDS,
  type LeftOut,
  REQUIRED,
  type Separator,
  skipLines,
  skipMarks,
} from './csv-head.ts';
import { createRecordReader } from './csv-records.ts';
import { dayField, email } from './fields.ts';

/** Whether the day or the month comes first in days such as 03/04/2026. */
export type DayOrder = 'dmy' | 'mdy';

const TIME = String.raw`(?:[T\s,]+\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?\s*(?:[ap]m)?\s*(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?$`;
const ISO = new RegExp(String.raw`^(\d{4})-(\d{2})-(\d{2})${TIME}`, 'i');
const DOTS = new RegExp(String.raw`^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})${TIME}`, 'i');
const SLASHES = new RegExp(String.raw`^(\d{1,2})/(\d{1,2})/(\d{4})${TIME}`, 'i');
const WORDS = new RegExp(String.raw`^(\d{1,2})\.?\s+(\p{L}+)\.?\s+(\d{4})${TIME}`, 'iu');
/** The number as which a spreadsheet stores a day. SERIALS are the numbers of 2000-01-01 and 2999-12-31. */
const SERIAL = /^\d{5,6}$/;
const SERIAL_ZERO_MS = Date.UTC(1899, 11, 30);
const DAY_MS = 86_400_000;
const SERIALS = { first: 36_526, last: 401_768 };

const MONTHS = [
  ['jan', 'january', 'januar', 'jänner'],
  ['feb', 'february', 'februar'],
  ['mar', 'march', 'mär', 'märz', 'mrz'],
  ['apr', 'april'],
  ['may', 'mai'],
  ['jun', 'june', 'juni'],
  ['jul', 'july', 'juli'],
  ['aug', 'august'],
  ['sep', 'sept', 'september'],
  ['oct', 'october', 'okt', 'oktober'],
  ['nov', 'november'],
  ['dec', 'december', 'dez', 'dezember'],
];

const day = dayField('day');

/** Returns the day as YYYY-MM-DD; null for a text that is no day, and for a day with slashes if `order` is null. */
export function readDay(text: string, order: DayOrder | null): string | null {
  const [, isoYear = '', isoMonth = '', isoDay = ''] = ISO.exec(text) ?? [];
  if (isoYear !== '') return toDay(isoYear, isoMonth, isoDay);
  const [, d = '', m = '', year = ''] = DOTS.exec(text) ?? [];
  if (year !== '') return toDay(year, m, d);
  const [, one = '', other = '', slashYear = ''] = SLASHES.exec(text) ?? [];
  if (slashYear !== '' && order !== null)
    return order === 'dmy' ? toDay(slashYear, other, one) : toDay(slashYear, one, other);
  const [, date = '', word = '', wordYear = ''] = WORDS.exec(text) ?? [];
  const month = MONTHS.findIndex((names) => names.includes(word.normalize('NFC').toLowerCase()));
  if (month !== -1) return toDay(wordYear, String(month + 1), date);
  const serial = SERIAL.test(text) ? Number(text) : 0;
  if (serial < SERIALS.first || serial > SERIALS.last) return null;
  return new Date(SERIAL_ZERO_MS + serial * DAY_MS).toISOString().slice(0, 10);
}

/** True if the text is a day, in any order of day and month. */
export function looksLikeDay(text: string): boolean {
  return readDay(text, 'dmy') !== null || readDay(text, 'mdy') !== null;
}

/**
 * Decides whether the day or the month comes first in the days of a column. Call `add` with each cell of the column.
 * `decide` returns the order, null if no day has slashes, or 'doubtful' if the days fit both orders or contradict each
 * other. `first` returns the first day that fits both orders, or null.
 */
export function createDayOrder() {
  let [days, months, both] = [0, 0, 0];
  let first: string | null = null;
  return {
    add(cell: string): void {
      const [, one, other] = SLASHES.exec(cell) ?? [];
      if (one === undefined) return;
      if (Number(one) > 12) days += 1;
      else if (Number(other) > 12) months += 1;
      else if (Number(one) !== Number(other)) first ??= cell;
      else both += 1;
    },
    decide(): DayOrder | 'doubtful' | null {
      if (days > 0 && months > 0) return 'doubtful';
      if (days > 0) return 'dmy';
      if (months > 0) return 'mdy';
      if (first !== null) return 'doubtful';
      return both > 0 ? 'dmy' : null;
    },
    first: () => first,
  };
}

function toDay(year: string, month: string, date: string): string | null {
  const { success, data } = day.safeParse(`${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`);
  return success ? data : null;
}

/** Choices of staff about a file (N-15, N-16). If a choice is missing, the portal decides. */
export type CsvOptions = {
  /** The number of the column by field, from 1; 0 if no column has the field. Other fields are recognised by name. */
  columns?: Record<CsvField, number | undefined> | undefined;
  /** Whether the first line has the names of the columns. */
  header?: boolean | undefined;
  /** What happens to rows without a code. */
  blanks?: 'skip' | 'generate' | undefined;
  /** Whether the day or the month comes first in days such as 03/04/2026 (R-MAP-23). */
  dates?: DayOrder | undefined;
  /** The character between the cells (R-MAP-20). */
  separator?: Separator | undefined;
  /** The number of lines above the names of the columns, or above the first row, that are left out (R-MAP-20). */
  skip_lines?: number | undefined;
};

export type CsvLayout = {
  kind: CsvKind;
  delimiter: string;
  /** The start of the line of column names; without names, of the first row. */
  start: CsvStart;
  /** The titles and comments above `start`. */
  above: LeftOut[];
  /** True if lines that begin with # are comments. */
  hasComments: boolean;
  /** True if each quoted line has its cells inside the quotes. */
  isWrapped: boolean;
  /** True if the portal decided that the file has no column names; false if staff said so. */
  isGuessed: boolean;
  header: boolean;
  /** The names in the header; empty without a header. */
  names: string[];
  /** The field of each column; null for a column that is ignored. */
  fields: (CsvField | null)[];
};

// The field of a file with one column and without names.
const ONLY_FIELD: Record<CsvKind, CsvField | null> = {
  products: null,
  users: 'email',
  coupons: 'coupon_code',
};
/** Fields that may have several columns: in each row, the first one with text counts (N-309). */
const MANY_COLUMNS: ReadonlySet<CsvField> = new Set(['phone_number']);
const PLURALS: Record<CsvKind, string> = { products: 'products', users: 'users', coupons: 'codes' };

/**
 * Returns the layout of the file; null for a file without text.
 * @throws CsvError if a required column is missing, two columns have the same field, `columns` names a column that the
 * file does not have, or the file looks like a file of another kind (R-IMP-05) or like no CSV file (R-MAP-12).
 */
export function findLayout(kind: CsvKind, text: string, options: CsvOptions): CsvLayout | null {
  refuseOtherContent(text);
  const marks = skipMarks(text);
  const { start: begin, skipped } = skipLines(text, marks.start, options.skip_lines ?? 0);
  const isSaid = options.header !== undefined || options.columns !== undefined;
  const hasTitles = !isSaid && options.skip_lines === undefined;
  const search = { start: begin, hasComments: findsComments(text), hasTitles };
  const delimiter = options.separator ?? marks.separator ?? chooseDelimiter(kind, text, search);
  const head = findHead(kind, text, { ...search, delimiter });
  if (head === null) return null;
  const { line, isWrapped } = head;
  const above = [...skipped, ...head.above];
  const start = { at: line.at, row: line.row };
  const cells = line.cells.map((cell) => cell.trim());
  const known = cells.map((cell) => csvFieldOf(kind, cell));
  const isOneColumn = cells.slice(1).every((cell) => cell === '');
  const [only = ''] = cells;
  const isName = KINDS.some((some) => csvFieldOf(some, only) !== null);
  const header = options.header ?? (known.some((field) => field !== null) || !isAllData());
  const fields = chooseFields();
  const names = header ? cells : [];
  const { hasComments } = search;
  const isGuessed = !header && !isSaid;
  const layout = { kind, delimiter, start, above, hasComments, isWrapped, isGuessed, header, names, fields };
  requireFields(kind, layout, { cells, isSaid: options.columns !== undefined || options.header === false });
  return layout;

  // Called if staff have not chosen `header`, and no cell of the first line is a column name of this kind of file.
  function isAllData(): boolean {
    return options.columns !== undefined || (isOneColumn && !isName && ONLY_FIELD[kind] !== null);
  }

  function chooseFields(): (CsvField | null)[] {
    const said = new Map(Object.entries(options.columns ?? {}).map(([field, at]) => [at, field]));
    const chosen = new Set(said.values());
    for (const [at, field] of said) {
      if (at !== undefined && at > cells.length)
        throw new CsvError(`columns.${field} is ${at}, but the first line has ${cells.length} columns`);
    }
    const isOnly = !header && said.size === 0 && isOneColumn;
    const named = header
      ? refuseRepeated(known, cells, { chosen, unknown: { delimiter, start } })
      : cells.map(() => null);
    return named.map((field, at) => said.get(at + 1) ?? (isOnly && at === 0 ? ONLY_FIELD[kind] : field));
  }
}

/** Returns the field of each column by its name, except fields in `chosen`, for which staff chose a column. */
function refuseRepeated(
  known: readonly (CsvField | null)[],
  cells: readonly string[],
  { chosen, unknown }: { chosen: ReadonlySet<CsvField>; unknown: CsvError['unknown'] },
): (CsvField | null)[] {
  // A column of first names is used only together with a column of last names.
  const isSplit = known.includes('first_name') && known.includes('last_name');
  const fields = known.map((field) => {
    if (field === null || chosen.has(field)) return null;
    const isPart = field === 'first_name' || field === 'last_name';
    return isPart && (!isSplit || chosen.has('name')) ? null : field;
  });
  fields.forEach((field, at) => {
    const first = fields.indexOf(field);
    if (field !== null && !MANY_COLUMNS.has(field) && first < at)
      throw new CsvError(
        `Two columns mean ${field}: '${shorten(cells[first] ?? '')}' and '${shorten(cells[at] ?? '')}'`,
        unknown,
      );
  });
  return fields;
}

function requireFields(
  kind: CsvKind,
  { header, fields, delimiter, start }: CsvLayout,
  { cells, isSaid }: { cells: readonly string[]; isSaid: boolean },
): void {
  const missing = REQUIRED[kind].required.filter(
    (field) => !fields.includes(field) && !(field === 'name' && fields.includes('first_name')),
  );
  const others = isSaid ? [] : KINDS.filter((other) => other !== kind && looksLike(other, cells, header));
  const [other] = others;
  if (other !== undefined && (missing.length > 0 || !header)) {
    const found = cells.map((cell) => csvFieldOf(other, cell)).filter((field) => field !== null);
    const names = found.length > 0 ? found.join(', ') : ONLY_FIELD[other];
    const [looks, own] = [PLURALS[other], PLURALS[kind]];
    throw new CsvError(`This looks like a file of ${looks} (${names}). You are uploading ${own}.`);
  }
  if (missing.length === 0) return;
  const columns = quote(missing, ' and ');
  const found = quote(cells.slice(0, 20).map(shorten), ', ');
  const isNoneKnown = fields.every((field) => field === null);
  const message = isNoneKnown
    ? `The CSV file has no column ${columns}. Its columns are ${found}`
    : `The CSV file has no column ${columns}`;
  throw new CsvError(message, cells.length > 1 ? { delimiter, start } : undefined);
}

/** True if the first line has the names of all required columns, or is an address in a file without names. */
function looksLike(kind: CsvKind, cells: readonly string[], header: boolean): boolean {
  if (!header) return kind === 'users' && email.safeParse(cells[0]).success;
  const found = cells.map((cell) => csvFieldOf(kind, cell));
  return REQUIRED[kind].required.every((field) => found.includes(field));
}

const quote = (names: readonly string[], between: string) => names.map((name) => `'${name}'`).join(between);
const shorten = (name: string) => (name.length > 40 ? `${name.slice(0, 40)}…` : name);

/**
 * A column that is ignored. `name` is 'column 3' if the column has none. `isMissed` is true if the column may be
 * ignored by mistake: it contains days, addresses, or first or last names, and no other column fills the field for them.
 */
export type IgnoredColumn = { name: string; isMissed: boolean };

/** Columns that the portal adds to its files about an upload. `listIgnored` does not report these columns (R-IMP-17). */
const OWN = new Set(['line', 'reason']);
/** Maximum numbers of rows and characters that are read to decide what a column contains. */
const JUDGED_ROWS = 1_000;
const JUDGED_CHARS = 1_000_000;
/** If at least this share of the cells of a column are days, the portal takes the column for days; addresses alike. */
export const COLUMN_SHARE = 0.9;

/**
 * Returns the ignored columns of the file, in their order. A column without a name counts only if one of its first 1,000
 * cells has text, because lines may end with separators.
 * @throws CsvError as `splitLines`.
 */
export function listIgnored(kind: CsvKind, text: string, layout: CsvLayout): IgnoredColumn[] {
  const places = layout.fields.flatMap((field, at) =>
    field === null && !OWN.has((layout.names[at] ?? '').toLowerCase()) ? [at] : [],
  );
  if (places.length === 0) return [];
  const lines = readFirst(text, layout);
  return places.flatMap((at) => {
    const name = layout.names[at] || null;
    const filled = lines.map((line) => readCell(line[at] ?? '')).filter((cell) => cell !== '');
    if (name === null && filled.length === 0) return [];
    return [{ name: name ?? `column ${at + 1}`, isMissed: isMissed(kind, layout, { name, filled, lines }) }];
  });
}

function readFirst(text: string, layout: CsvLayout): string[][] {
  const lines: string[][] = [];
  const readRecord = createRecordReader(text, layout);
  let chars = 0;
  for (const line of splitLines(text, layout.delimiter, layout.start)) {
    const record = readRecord(line);
    if (record !== null) lines.push(record.cells);
    for (const cell of line.cells) chars += cell.length;
    if (lines.length === JUDGED_ROWS || chars > JUDGED_CHARS) break;
  }
  return lines;
}

/** `lines` has the cells of the first rows, `filled` the texts of the column in these rows. */
function isMissed(
  kind: CsvKind,
  { fields }: CsvLayout,
  { name, filled, lines }: { name: string | null; filled: readonly string[]; lines: readonly string[][] },
): boolean {
  // A column without text in all these rows does not fill its field.
  const fills = (field: CsvField) =>
    fields.some((each, at) => each === field && lines.some((line) => line[at]?.trim()));
  const consistsOf = (looks: (text: string) => boolean) =>
    filled.length > 0 && filled.filter(looks).length >= COLUMN_SHARE * filled.length;
  if (kind === 'coupons') return !fills('use_by') && consistsOf(looksLikeDay);
  if (kind === 'users' && !fills('email') && consistsOf((text) => email.safeParse(text).success)) return true;
  const field = name === null ? null : csvFieldOf(kind, name);
  const isPart = field === 'first_name' || field === 'last_name';
  return isPart && !fields.includes('name') && !fields.includes('first_name');
}
