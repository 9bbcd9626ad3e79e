// Reads the text of a CSV file as records.
import { setImmediate } from 'node:timers/promises';
import {
  CsvError,
  type CsvField,
  type CsvKind,
  type CsvLayout,
  type CsvOptions,
  canonicalKey,
  createDayOrder,
  csvKinds,
  type DayOrder,
  findLayout,
  hasRecord,
  isStorable,
  listIgnored,
  readDay,
  splitLines,
  unescapeFormula,
} from '@portal/contract';
import { AppError } from '../app-error.ts';

/**
 * A record of a CSV file. `row` is the number of the line on which the record begins.
 * `cells` has the trimmed texts by field, and last days as YYYY-MM-DD. A cell that the record lacks is ''. A required field of which the file has no
 * column is missing. An apostrophe that escapes a formula is removed.
 * `isStorable` is false if a cell, in any column, has a character that the database cannot store (N-40).
 */
export type CsvRecord = { row: number; cells: Record<CsvField, string>; isStorable: boolean };

/** While a large file is read, the process serves other requests after this time. */
const SLICE_MS = 20;
// Limits of what is stored about the columns of a file.
const NAMED_COLUMNS = 200;
const NAME_MAX = 100;

/**
 * Returns the columns of a kind of CSV file. The cells of invalid rows are stored and written in the order of these
 * columns.
 */
export function columnsOf(kind: CsvKind): readonly string[] {
  return [...csvKinds[kind].required, ...csvKinds[kind].optional];
}

/**
 * Yields the records of `text`. A line without text is not a record; with `blanks: 'skip'`, neither is a row without a
 * code.
 * @throws CsvError if the columns are wrong (see `findLayout`) or a quote is never closed. The error for
 * the columns is thrown before the first record is yielded.
 */
export async function* readCsv(
  kind: CsvKind,
  text: string,
  options: CsvOptions = {},
): AsyncGenerator<CsvRecord> {
  // The first line of a file may be as long as the file. Then these steps take longer than a slice.
  await setImmediate();
  const layout = findLayout(kind, text, options);
  await setImmediate();
  if (layout === null) return;
  const read = createReader(kind, layout, options.dates ?? null);
  const allStorable = isStorable(text);
  const skipsBlanks = kind === 'coupons' && options.blanks === 'skip';
  let isHeader = layout.header;
  let sliceMs = performance.now();
  for (const line of splitLines(text, layout.delimiter, layout.start)) {
    if (performance.now() - sliceMs > SLICE_MS) {
      await setImmediate();
      sliceMs = performance.now();
    }
    if (!hasRecord(line, layout)) continue;
    if (isHeader) {
      isHeader = false;
      continue;
    }
    const cells = read(line.cells);
    // A cell with only invisible characters is blank too (R-MAP-01).
    if (skipsBlanks && canonicalKey(cells.coupon_code ?? '') === '') continue;
    yield { row: line.row, cells, isStorable: allStorable || line.cells.every(isStorable) };
  }
}

/**
 * What a check of the whole file finds: the number of records, whether the first line has names, and the columns in
 * their order. The field of a column is null if the column is ignored.
 */
export type CsvFindings = {
  records: number;
  header: boolean;
  columns: { name: string | null; field: CsvField | null }[];
  /** The names of the columns that are ignored (R-MAP-22). */
  ignored: string[];
  /** Which comes first in days such as 03/04/2026; undefined if the file has no such day. */
  dates: DayOrder | undefined;
};

/**
 * Reads the whole file, so that an invalid file is refused before a row is imported.
 * @throws AppError invalid_request if the columns are wrong (see `findLayout`), a quote is never closed, or days can be read in
 * two ways.
 */
export async function checkCsv(kind: CsvKind, text: string, options: CsvOptions = {}): Promise<CsvFindings> {
  try {
    return await findColumns(kind, text, options);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new AppError('invalid_request', error.message, { cause: error });
  }
}

async function findColumns(kind: CsvKind, text: string, options: CsvOptions): Promise<CsvFindings> {
  const layout = findLayout(kind, text, options);
  const { header, names, fields } = layout ?? { header: true, names: [], fields: [] };
  let records = 0;
  const order = createDayOrder();
  for await (const { cells } of readCsv(kind, text, options)) {
    records += 1;
    if (cells.use_by) order.add(cells.use_by);
  }
  const dates = options.dates ?? order.decide();
  if (dates === 'doubtful') throw refuseDays(order.first());
  // Without names, and if nobody says which column holds what, the file has one column. Separators at the end of its
  // lines (`CODE1;;`) make cells, but no columns.
  const isOneColumn = !header && options.columns === undefined;
  const columns = fields
    .slice(0, isOneColumn ? 1 : NAMED_COLUMNS)
    .map((field, at) => ({ name: shorten(names[at]), field }));
  const ignored = layout === null || isOneColumn ? [] : listIgnored(kind, text, layout);
  return {
    ...{ records, header, columns, dates: dates ?? undefined },
    ignored: ignored.slice(0, NAMED_COLUMNS).map(({ name }) => shorten(name) ?? ''),
  };
}

// Without an example, some days have the day first and others the month.
const refuseDays = (day: string | null) => {
  const example = day ?? '31/12/2026 and 12/31/2026';
  return new CsvError(
    `use_by has days such as ${example}, and the file does not say what comes first. Send dates: 'dmy' for the day, or 'mdy' for the month`,
  );
};

const shorten = (name: string | undefined) =>
  name === undefined ? null : [...name].slice(0, NAME_MAX).join('');

/** Returns a function that returns the cells of a line by field. */
function createReader(
  kind: CsvKind,
  { fields }: CsvLayout,
  dates: DayOrder | null,
): (line: string[]) => CsvRecord['cells'] {
  const cellOf = (line: string[], at: number) => unescapeFormula((line[at] ?? '').trim());
  const required: readonly string[] = csvKinds[kind].required;
  const placesOf = (field: CsvField) => fields.flatMap((each, at) => (each === field ? [at] : []));
  const places = columnsOf(kind).map((field) => ({ field, columns: placesOf(field) }));
  const parts = [...placesOf('first_name'), ...placesOf('last_name')];
  return (line) => {
    const cells: CsvRecord['cells'] = {};
    for (const { field, columns } of places) {
      const [filled] = columns.map((at) => cellOf(line, at)).filter((cell) => cell !== '');
      // The first and the last name stand in for a full name that is missing in this row (N-309).
      const isSplit = field === 'name' && parts.length > 0;
      if (filled !== undefined) cells[field] = filled;
      else if (isSplit)
        cells[field] = parts
          .map((at) => cellOf(line, at))
          .join(' ')
          .trim();
      else if (columns.length > 0 || !required.includes(field)) cells[field] = '';
    }
    // A cell that is no day stays as it is, and makes the row invalid.
    if (cells.use_by) cells.use_by = readDay(cells.use_by, dates) ?? cells.use_by;
    return cells;
  };
}

/**
 * Rows in one batch of an import or check, by engine. Batches are smaller on the embedded engine: it has one connection,
 * so learners wait while a batch is written.
 */
export const BATCH_ROWS = { embedded: 1_000, postgres: 5_000 };

/** A batch ends with the record that makes it this long, because the process serves nobody while a batch is parsed. */
const BATCH_CHARS = 500_000;

/** Yields the records in batches of `size`; batches of long records, and the last batch, are smaller. */
export async function* takeBatches(
  records: AsyncIterable<CsvRecord>,
  size: number,
): AsyncGenerator<CsvRecord[]> {
  let batch: CsvRecord[] = [];
  let chars = 0;
  for await (const record of records) {
    batch.push(record);
    for (const cell of Object.values(record.cells)) chars += cell.length;
    if (batch.length < size && chars < BATCH_CHARS) continue;
    yield batch;
    batch = [];
    chars = 0;
  }
  if (batch.length > 0) yield batch;
}
