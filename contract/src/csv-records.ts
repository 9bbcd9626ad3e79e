// Reads the records of a CSV file line by line, and leaves out the lines that are no data (R-MAP-14).

import { canonicalKey } from './canonical.ts';
import { CsvLimitError, type CsvLine, csvFieldOf, isBlankLine, simplifyName } from './csv.ts';
import { isComment, type LeftOut, unwrapLine } from './csv-head.ts';
import type { CsvLayout } from './csv-layout.ts';

/** If more lines of a file are no data, the file is refused: perhaps they are codes that begin with #. */
const LEFT_OUT_MAX = 1_000;
const TOTALS = new Set(['total', 'sum', 'summe', 'gesamt']);
const TOTAL_MAX = 20;
// Most lines differ from totals and column names at the first look. These tests are fast.
const TOTAL = /total|sum|gesamt/i;
/** A code or an address: no name of a column without spaces has a digit or @. */
const VALUE = /^\S*[\d@]\S*$/;
const OTHER = -1;
/** No name of a column that is known is longer. */
const KNOWN_NAME_MAX = 40;

/**
 * Returns a function that takes the lines of the file in their order, from `layout.start` on. It returns the line with
 * its cells; null for the line of column names, for an empty line, and for a line that is no data. Adds the latter to
 * `leftOut`.
 * @throws CsvLimitError if more than 1,000 lines are no data.
 */
export function createRecordReader(
  text: string,
  layout: CsvLayout,
  leftOut: LeftOut[] = [],
): (line: CsvLine) => CsvLine | null {
  leftOut.push(...layout.above);
  const findReason = createJudge(text, layout);
  let isHeader = layout.header;
  return (read) => {
    if (!hasRecord(read, layout)) return null;
    if (isHeader) {
      isHeader = false;
      return null;
    }
    const line = layout.isWrapped ? unwrapLine(read, layout.delimiter) : read;
    const why = findReason(line);
    if (why === null) return line;
    leftOut.push({ line: line.row, why });
    if (leftOut.length > LEFT_OUT_MAX)
      throw new CsvLimitError(
        'The CSV file cannot be read: more than 1,000 of its lines look like titles, headers, comments or totals',
      );
    return null;
  };
}

/** True if the line has text. In a file of one column, a line with only `""` is a record too: a blank code. */
function hasRecord(line: CsvLine, { fields }: CsvLayout): boolean {
  return (line.isQuoted && line.cells.length === 1 && fields.length === 1) || !isBlankLine(line);
}

/** Returns a function that returns why a line is no data; null for a record. */
function createJudge(text: string, layout: CsvLayout): (line: CsvLine) => LeftOut['why'] | null {
  const { kind, names, hasComments, isGuessed } = layout;
  const simple = names.map(simplifyName);
  const initial = lowerInitial(names[0] ?? '');
  const isHeader = (cells: readonly string[]) =>
    cells.length <= simple.length + 1 && simple.every((name, at) => simplifyName(cells[at] ?? '') === name);
  // A file without column names, which was joined with a file that has them.
  const isName = ([cell = '', ...others]: readonly string[]) =>
    csvFieldOf(kind, cell) !== null && others.every((other) => other === '');
  return (line) => {
    const [first = ''] = line.cells;
    if (hasComments && isComment(text, line)) return 'comment';
    if (first.length <= TOTAL_MAX && TOTAL.test(first) && TOTALS.has(canonicalKey(first).toLowerCase()))
      return 'total';
    if (layout.header) {
      const begins = lowerInitial(first);
      const mayBeHeader = begins === initial || begins === OTHER || initial === OTHER;
      return mayBeHeader && isHeader(line.cells) ? 'header' : null;
    }
    return isGuessed && first.length <= KNOWN_NAME_MAX && !VALUE.test(first) && isName(line.cells)
      ? 'header'
      : null;
  };
}

/** Returns the code of the first character in lower case; OTHER unless the character is an ASCII letter or digit. */
function lowerInitial(text: string): number {
  const code = text.charCodeAt(0) | 32;
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) ? code : OTHER;
}
