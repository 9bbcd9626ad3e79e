// Parses the text of a CSV file into records, and records into rows of a kind, for the import and the check of a file.

import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import {
  COUPON_CODE_MAX,
  CsvError,
  type CsvField,
  type CsvKind,
  type CsvLayout,
  type CsvOptions,
  canonicalKey,
  createDayOrder,
  createRecordReader,
  csvKinds,
  type DayOrder,
  dayField,
  email,
  findLayout,
  isStorable,
  keyLine,
  type LeftOut,
  line,
  listIgnored,
  newProduct,
  orNull,
  readCell,
  readDay,
  splitLines,
} from '@portal/contract';
import * as z from 'zod/mini';
import { AppError } from '../app-error.ts';
import type { ListedRow } from './import-rows.sql.ts';

/**
 * A record of a CSV file. `row` is the number of the line on which the record begins. `cells` has the values by field
 * (`readCell`), and last days as YYYY-MM-DD. A cell is '' if the line ends before its column. A required field is missing
 * in `cells` if the file has no column for it. `isStorable` is false if a cell, in any column, has a character that the
 * database cannot store (N-40).
 */
export type CsvRecord = { row: number; cells: Record<CsvField, string>; isStorable: boolean };

/** While a large file is read, the process serves other requests after each slice of 20 ms. */
const SLICE_MS = 20;
// Limits of what is stored about the columns of a file: the number of columns, and the length of a name.
const NAMED_COLUMNS = 200;
const NAME_MAX = 100;

/** Returns the columns of a kind of CSV file, in the order in which the cells of its rows are stored. */
export function columnsOf(kind: CsvKind): readonly string[] {
  return [...csvKinds[kind].required, ...csvKinds[kind].optional];
}

/** Returns the record in the form in which invalid rows and duplicates are stored. */
export function listRow(kind: CsvKind, { row, cells }: CsvRecord, message: string): ListedRow {
  return { row, message, cells: columnsOf(kind).map((column) => cells[column] ?? '') };
}

/**
 * Yields the records of `text`. Skips empty lines and, with `blanks: 'skip'`, rows without a code. Adds the lines that
 * are no data to `leftOut` (R-MAP-14).
 * @throws CsvError if the columns are wrong (see `findLayout`), before the first record; or if a quote is never closed.
 */
export async function* readCsv(
  kind: CsvKind,
  text: string,
  options: CsvOptions = {},
  leftOut: LeftOut[] = [],
): AsyncGenerator<CsvRecord> {
  // `findLayout` takes longer than a slice if the first line is very long. So other requests are served before and
  // after the call.
  await setImmediate();
  const layout = findLayout(kind, text, options);
  await setImmediate();
  if (layout === null) return;
  const read = createReader(kind, layout, options.dates ?? null);
  const allStorable = isStorable(text);
  const skipsBlanks = kind === 'coupons' && options.blanks === 'skip';
  const readRecord = createRecordReader(text, layout, leftOut);
  let sliceMs = performance.now();
  for (const each of splitLines(text, layout.delimiter, layout.start)) {
    if (performance.now() - sliceMs > SLICE_MS) {
      await setImmediate();
      sliceMs = performance.now();
    }
    const line = readRecord(each);
    if (line === null) continue;
    const cells = read(line.cells);
    // A cell with only invisible characters is blank too (R-MAP-01).
    if (skipsBlanks && canonicalKey(cells.coupon_code ?? '') === '') continue;
    yield { row: line.row, cells, isStorable: allStorable || line.cells.every(isStorable) };
  }
}

/**
 * `records` is the number of records. `header` is true if the first line has the names of the columns. `columns` are
 * in the order of the file; `field` is null for a column that is ignored.
 */
type CsvCheck = {
  records: number;
  header: boolean;
  columns: { name: string | null; field: CsvField | null }[];
  /** The names of the columns that are ignored (R-MAP-22). */
  ignored: string[];
  /** The lines that are no data (R-MAP-14). */
  left_out: LeftOut[];
  /** The order of day and month in days such as 03/04/2026; undefined if the file has no such day. */
  dates: DayOrder | undefined;
};

/**
 * Reads the whole file, so that an invalid file is refused before a row is imported.
 * @throws AppError invalid_request if the columns are wrong (see `findLayout`), a quote is never closed, or the order
 * of day and month is unknown.
 */
export async function checkCsv(kind: CsvKind, text: string, options: CsvOptions = {}): Promise<CsvCheck> {
  try {
    return await findColumns(kind, text, options);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new AppError('invalid_request', error.message, { cause: error });
  }
}

async function findColumns(kind: CsvKind, text: string, options: CsvOptions): Promise<CsvCheck> {
  const layout = findLayout(kind, text, options);
  const { header, names, fields } = layout ?? { header: true, names: [], fields: [] };
  let records = 0;
  const order = createDayOrder();
  const left_out: LeftOut[] = [];
  for await (const { cells } of readCsv(kind, text, options, left_out)) {
    records += 1;
    if (cells.use_by) order.add(cells.use_by);
  }
  const dates = options.dates ?? order.decide();
  if (dates === 'doubtful') throw refuseDays(order.first());
  // Without a line of names and without columns that staff chose, a file has only one column, even if its lines are
  // like `CODE1;;`.
  const isOneColumn = !header && options.columns === undefined;
  const columns = fields
    .slice(0, isOneColumn ? 1 : NAMED_COLUMNS)
    .map((field, at) => ({ name: shorten(names[at]), field }));
  const ignored = layout === null || isOneColumn ? [] : listIgnored(kind, text, layout);
  return {
    ...{ records, header, columns, left_out, dates: dates ?? undefined },
    ignored: ignored.slice(0, NAMED_COLUMNS).map(({ name }) => shorten(name) ?? ''),
  };
}

// `day` is an ambiguous day of the file. `day` is null if some days of the file begin with the day and others with the
// month.
const refuseDays = (day: string | null) => {
  const example = day ?? '31/12/2026 and 12/31/2026';
  return new CsvError(
    `use_by has days such as ${example}, and the file does not say what comes first. Send dates: 'dmy' for the day, or 'mdy' for the month`,
  );
};

const shorten = (name: string | undefined) =>
  name === undefined ? null : [...name].slice(0, NAME_MAX).join('');

/** Returns a function that maps the cells of a line to their fields. */
function createReader(
  kind: CsvKind,
  { fields }: CsvLayout,
  dates: DayOrder | null,
): (line: string[]) => CsvRecord['cells'] {
  const cellOf = (line: string[], at: number) => readCell(line[at] ?? '');
  const required: readonly string[] = csvKinds[kind].required;
  const placesOf = (field: CsvField) => fields.flatMap((each, at) => (each === field ? [at] : []));
  const places = columnsOf(kind).map((field) => ({ field, columns: placesOf(field) }));
  const parts = [...placesOf('first_name'), ...placesOf('last_name')];
  const joinParts = (line: string[]) =>
    parts
      .map((at) => cellOf(line, at))
      .join(' ')
      .trim();
  return (line) => {
    const cells: CsvRecord['cells'] = {};
    for (const { field, columns } of places) {
      const filled = columns.map((at) => cellOf(line, at)).find((cell) => cell !== '');
      if (filled !== undefined) cells[field] = filled;
      // If this row has no full name, the first and the last name are joined (N-309).
      else if (field === 'name' && parts.length > 0) cells.name = joinParts(line);
      else if (columns.length > 0 || !required.includes(field)) cells[field] = '';
    }
    // A text that is not a day is kept, so that the row becomes invalid.
    if (cells.use_by) cells.use_by = readDay(cells.use_by, dates) ?? cells.use_by;
    return cells;
  };
}

/**
 * Number of rows in one chunk of an import or check. The embedded engine has only one connection, so learners wait
 * while a chunk is written.
 */
export const CHUNK_ROWS = { embedded: 1_000, postgres: 5_000 };

/**
 * Number of characters. A chunk ends with the record that exceeds this length, because the process serves no request
 * while it parses a chunk.
 */
const CHUNK_CHARS = 500_000;

/** Yields the records in chunks of `size` records. Chunks of long records, and the last chunk, are smaller. */
export async function* takeChunks(
  records: AsyncIterable<CsvRecord>,
  size: number,
): AsyncGenerator<CsvRecord[]> {
  let chunk: CsvRecord[] = [];
  let chars = 0;
  for await (const record of records) {
    chunk.push(record);
    for (const cell of Object.values(record.cells)) chars += cell.length;
    if (chunk.length < size && chars < CHUNK_CHARS) continue;
    yield chunk;
    chunk = [];
    chars = 0;
  }
  if (chunk.length > 0) yield chunk;
}

/** `rows` are the valid rows, `records` their records in the same order, and `errors` the invalid rows. */
export type Parsed<T> = { rows: T[]; records: CsvRecord[]; errors: ListedRow[] };

const productRow = z.extend(newProduct, {
  // the texts true, yes, 1 and y mean true, in upper or lower case. Every other text means false.
  shared_coupon: z.pipe(
    z.transform((value: unknown) => /^(true|yes|1|y)$/i.test(canonicalKey(String(value ?? '')))),
    z.boolean(),
  ),
});
/** A number that Excel has shortened, such as 1.23457E+11: its last digits are lost (N-304). */
const SHORTENED = /^\d(?:[.,]\d+)?E\+\d{2,}$/;
const SHORTENED_FAULT = 'Excel has shortened this number. Format the column as text and save again.';
/** The errors that Excel shows in a cell, in English and German. */
const EXCEL_ERROR =
  /^#(?:N\/A|NV|REF!|BEZUG!|VALUE!|WERT!|NAME\?|DIV\/0!|NUM!|ZAHL!|NULL!|SPILL!|ÜBERLAUF!|CALC!|KALK!)$/;
/** Returns the schema with a check that refuses the errors of Excel (R-MAP-12). */
const real = <T extends z.ZodMiniType<string>>(schema: T) =>
  schema.check(z.refine((value) => !EXCEL_ERROR.test(value), 'This is an error of Excel. Correct the cell.'));
/** Returns the schema with a check that refuses the errors of Excel, and numbers that Excel has shortened. */
const whole = <T extends z.ZodMiniType<string>>(schema: T) =>
  real(schema).check(z.refine((value) => !SHORTENED.test(value), SHORTENED_FAULT));

const userRow = z.object({
  email,
  // The name is null if the cell is blank, or the file has no column of names (N-312).
  name: orNull(real(line('name', 200))),
  phone_number: orNull(whole(line('phone_number', 50))),
  payment_id: orNull(real(line('payment_id', 255))),
});
/** Message for a row whose last day is not after today (R-LIFE-20). */
export const USE_BY_FAULT = 'use_by must be a day after today such as 2026-12-31';
/** Message for a row whose last day has no known form (R-DAY-38). */
const USE_BY_UNKNOWN = 'use_by was not understood. Write the day as 2026-12-31';

// A row without a last day gets the default last day of the product.
const couponRow = (today: string, use_by_default: string | null) => {
  const isUnderstood = (day: string | null) =>
    day === null || day === use_by_default || dayField('use_by').safeParse(day).success;
  const isAfterToday = (day: string | null) => day === null || day > today;
  return z.object({
    coupon_code: orNull(whole(keyLine('coupon_code', COUPON_CODE_MAX))),
    use_by: z.pipe(
      z.transform((cell: unknown) => canonicalKey(String(cell ?? '')) || use_by_default),
      z
        .nullable(z.string())
        .check(z.refine(isUnderstood, USE_BY_UNKNOWN), z.refine(isAfterToday, USE_BY_FAULT)),
    ),
  });
};

export type UserRow = z.output<typeof userRow>;

export const parseProducts = (records: readonly CsvRecord[]) => parse('products', productRow, records);
export const parseUsers = (records: readonly CsvRecord[]) => parse('users', userRow, records);

/** `use_by_default` is the default last day of the product's codes, or null. */
export const parseCoupons = (
  records: readonly CsvRecord[],
  { today, use_by_default }: { today: string; use_by_default: string | null },
) => parse('coupons', couponRow(today, use_by_default), records);

function parse<T extends z.ZodMiniType>(
  kind: CsvKind,
  schema: T,
  records: readonly CsvRecord[],
): Parsed<z.output<T>> {
  const result: Parsed<z.output<T>> = { rows: [], records: [], errors: [] };
  for (const record of records) {
    const { cells, isStorable } = record;
    const parsed = schema.safeParse(cells);
    if (parsed.success && isStorable) {
      result.rows.push(parsed.data);
      result.records.push(record);
      continue;
    }
    const message = parsed.success
      ? 'This row contains a character that cannot be stored'
      : describeIssue(parsed.error.issues, cells);
    result.errors.push(listRow(kind, record, message));
  }
  return result;
}

// The message of the schema is meant for a field of a form. For an empty cell of a file, the message is '… is missing'
// instead. An empty use_by keeps the message of the schema: the cell then means the product's default last day, which
// may be invalid.
function describeIssue(
  issues: readonly { path: PropertyKey[]; message: string }[],
  cells: Record<string, string>,
): string {
  const [issue] = issues;
  const column = String(issue?.path[0] ?? '');
  return canonicalKey(cells[column] ?? 'x') === '' && column !== 'use_by'
    ? `${column} is missing`
    : (issue?.message ?? 'This row cannot be read');
}

const FIRST_SLOTS = 1 << 14;
// A table with this number of slots has room for all different codes of a file of 64 MB.
const EXPECTED_SLOTS_MAX = 1 << 24;
const MAX_LOAD = 0.75;

/**
 * A set of texts that stores only their hashes of 64 bits, in an open-addressing table. A million texts need 16 MB; a
 * set of strings would need six times as much. In one of 300,000 files with 10,000,000 texts, two different texts have
 * the same hash. The preview then counts one row too few.
 */
export class SeenKeys {
  /** A slot with 0n is free. */
  #slots: BigUint64Array;
  #size = 0;

  /** The table has room for `expected` texts. With more texts, the table grows, which is slow for a large table. */
  constructor(expected: number) {
    let slots = FIRST_SLOTS;
    while (slots * MAX_LOAD < expected && slots < EXPECTED_SLOTS_MAX) slots *= 2;
    this.#slots = new BigUint64Array(slots);
  }

  /** Adds the text. Returns false if the text was added before. */
  add(text: string): boolean {
    const key = hash('sha256', text, 'buffer').readBigUInt64LE() || 1n;
    if (!this.#put(key)) return false;
    this.#size += 1;
    if (this.#size > this.#slots.length * MAX_LOAD) {
      const old = this.#slots;
      this.#slots = new BigUint64Array(old.length * 2);
      for (const each of old) if (each !== 0n) this.#put(each);
    }
    return true;
  }

  #put(key: bigint): boolean {
    const mask = this.#slots.length - 1;
    for (let slot = Number(BigInt.asUintN(32, key)) & mask; ; slot = (slot + 1) & mask) {
      if (this.#slots[slot] === key) return false;
      if (this.#slots[slot] !== 0n) continue;
      this.#slots[slot] = key;
      return true;
    }
  }
}
