// Finds out what staff must say about a CSV file before it is sent (R-IMP-14, R-IMP-15, N-37). Reads the file with the
// functions of the server.
import {
  CsvError,
  type CsvKind,
  CsvLimitError,
  type CsvOptions,
  createDayOrder,
  email,
  findLayout,
  hasRecord,
  isBlankLine,
  listIgnored,
  splitLines,
} from '@portal/contract';

/**
 * `columns`: the file has several columns, and no name says which one holds the codes or addresses. `first-line`: the
 * file has one column, and its first line is no known name. `blanks`: some rows have a code and others have none.
 * `ignored`: columns would be ignored, and one of them looks like a field that no column fills. `dates`: the day `example`
 * can be read in two ways.
 */
export type StaffQuestion =
  | { about: 'columns' | 'first-line'; lines: string[][] }
  | { about: 'blanks'; codes: number; blanks: number }
  | { about: 'ignored'; names: string[] }
  | { about: 'dates'; example: string };

const SHOWN_LINES = 5;
/** While a large file is read, the page handles other events after this time. */
const SLICE_MS = 30;

/**
 * Returns the question about the columns of the file, or null if there is none. Then the file can be imported, or the
 * server refuses it with a reason.
 * @throws CsvLimitError if the beginning of the file is beyond the limits of a line. Such a file is not sent.
 */
export function askColumns(kind: CsvKind, text: string): StaffQuestion | null {
  if (kind === 'products') return null;
  try {
    const layout = findLayout(kind, text, {});
    if (layout === null || layout.header) return null;
    const lines = firstLines(text, layout);
    const isAddress = kind === 'users' && email.safeParse(lines[0]?.[0]).success;
    return isAddress ? null : { about: 'first-line', lines };
  } catch (error) {
    if (!(error instanceof CsvError) || error instanceof CsvLimitError) throw error;
    return error.unknown ? askUnknown(text, error.unknown) : null;
  }
}

type Start = Pick<NonNullable<ReturnType<typeof findLayout>>, 'delimiter' | 'start'>;

function askUnknown(text: string, start: Start): StaffQuestion | null {
  try {
    return { about: 'columns', lines: firstLines(text, start) };
  } catch (error) {
    if (error instanceof CsvLimitError) throw error;
    return null;
  }
}

function firstLines(text: string, { delimiter, start }: Start): string[][] {
  const lines: string[][] = [];
  for (const line of splitLines(text, delimiter, start)) {
    if (!isBlankLine(line)) lines.push(line.cells.map((cell) => cell.trim()));
    if (lines.length === SHOWN_LINES) break;
  }
  return lines;
}

/**
 * Returns the question about rows without a code in a file of codes. Returns null if all rows have a code, if none has,
 * or if the file cannot be read: the server then refuses it.
 * @throws CsvLimitError if a line is beyond the limits.
 */
export async function askBlanks(text: string, options: CsvOptions): Promise<StaffQuestion | null> {
  let [codes, blanks] = [0, 0];
  const isRead = await readColumn('coupon_code', text, options, (cell) => {
    if (cell === '') blanks += 1;
    else codes += 1;
  });
  return isRead && codes > 0 && blanks > 0 ? { about: 'blanks', codes, blanks } : null;
}

/** Returns the question about the last days of a file of codes. Returns null if the days can be read in one way only. */
export async function askDates(text: string, options: CsvOptions): Promise<StaffQuestion | null> {
  const order = createDayOrder();
  const isRead = await readColumn('use_by', text, options, order.add);
  const example = order.first();
  return isRead && order.decide() === 'doubtful' && example !== null ? { about: 'dates', example } : null;
}

/** Returns the question about the columns that would be ignored; null if none of them looks like a missing field. */
export function askIgnored(kind: CsvKind, text: string, options: CsvOptions): StaffQuestion | null {
  try {
    const layout = findLayout(kind, text, options);
    const columns = layout === null ? [] : listIgnored(kind, text, layout);
    const isMissed = columns.some((column) => column.isMissed);
    return isMissed ? { about: 'ignored', names: columns.map(({ name }) => name) } : null;
  } catch (error) {
    if (!(error instanceof CsvError) || error instanceof CsvLimitError) throw error;
    return null;
  }
}

/**
 * Reads the cells of one field of a file of codes. Returns false if the file has no such column or cannot be read.
 * @throws CsvLimitError if a line is beyond the limits.
 */
async function readColumn(
  field: string,
  text: string,
  options: CsvOptions,
  read: (cell: string) => void,
): Promise<boolean> {
  let sliceMs = Date.now();
  try {
    const layout = findLayout('coupons', text, options);
    const at = layout?.fields.indexOf(field) ?? -1;
    if (layout === null || at === -1) return false;
    let isHeader = layout.header;
    for (const line of splitLines(text, layout.delimiter, layout.start)) {
      if (Date.now() - sliceMs > SLICE_MS) {
        await new Promise((resolve) => setTimeout(resolve));
        sliceMs = Date.now();
      }
      if (!hasRecord(line, layout)) continue;
      if (isHeader) isHeader = false;
      else read((line.cells[at] ?? '').trim());
    }
  } catch (error) {
    if (!(error instanceof CsvError) || error instanceof CsvLimitError) throw error;
    return false;
  }
  return true;
}
