// Finds out what staff must say about a CSV file before it is sent (R-IMP-14, R-IMP-15, N-37). Reads the file with the
// functions of the server.
import {
  CsvError,
  type CsvKind,
  CsvLimitError,
  type CsvOptions,
  email,
  findLayout,
  hasRecord,
  isBlankLine,
  splitLines,
} from '@portal/contract';

/**
 * `columns`: the file has several columns, and no name says which one holds the codes or addresses. `first-line`: the
 * file has one column, and its first line is no known name. `blanks`: some rows have a code and others have none.
 */
export type FileQuestion =
  | { about: 'columns' | 'first-line'; lines: string[][] }
  | { about: 'blanks'; codes: number; blanks: number };

const SHOWN_LINES = 5;
/** While a large file is read, the page handles other events after this time. */
const SLICE_MS = 30;

/**
 * Returns the question about the columns of the file, or null if there is none. Then the file can be imported, or the
 * server refuses it with a reason.
 * @throws CsvLimitError if the beginning of the file is beyond the limits of a line. Such a file is not sent.
 */
export function askColumns(kind: CsvKind, text: string): FileQuestion | null {
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

function askUnknown(text: string, start: Start): FileQuestion | null {
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
export async function askBlanks(text: string, options: CsvOptions): Promise<FileQuestion | null> {
  let [codes, blanks, isHeader] = [0, 0, false];
  let sliceMs = Date.now();
  try {
    const layout = findLayout('coupons', text, options);
    if (layout === null) return null;
    isHeader = layout.header;
    const at = layout.fields.indexOf('coupon_code');
    for (const line of splitLines(text, layout.delimiter, layout.start)) {
      if (Date.now() - sliceMs > SLICE_MS) {
        await new Promise((resolve) => setTimeout(resolve));
        sliceMs = Date.now();
      }
      if (!hasRecord(line, layout)) continue;
      if (isHeader) isHeader = false;
      else if ((line.cells[at] ?? '').trim() === '') blanks += 1;
      else codes += 1;
    }
  } catch (error) {
    if (!(error instanceof CsvError) || error instanceof CsvLimitError) throw error;
    return null;
  }
  return codes > 0 && blanks > 0 ? { about: 'blanks', codes, blanks } : null;
}
