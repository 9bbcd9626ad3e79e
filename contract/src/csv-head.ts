// Finds where the rows of a CSV file begin: the delimiter, the line of column names, and the lines above it (R-MAP-14).

import {
  type CsvKind,
  CsvLimitError,
  type CsvLine,
  type CsvStart,
  csvFieldOf,
  csvKinds,
  isBlankLine,
  splitLines,
} from './csv.ts';
import { email } from './fields.ts';

/** Why a line of a file is no data: it is no record, and its number is reported. */
export const LEFT_OUT = ['title', 'header', 'comment', 'total'] as const;
export type LeftOut = { line: number; why: (typeof LEFT_OUT)[number] };

/**
 * The line at which the rows begin: the column names, or the first row of a file without names. `above` has the titles
 * and comments above this line. `isWrapped` is true if the whole line is quoted ("code,use_by"): each quoted line of
 * the file then has its cells inside the quotes.
 */
export type CsvHead = { line: CsvLine; above: LeftOut[]; isWrapped: boolean };

/** Maximum number of empty cells before the first line with text. The portal reads these cells without a pause. */
const BLANK_CELLS_MAX = 100_000;
/** Limits of the search for the column names below titles: the number of lines, and of characters. */
const HEAD_LINES = 20;
const HEAD_CHARS = 100_000;
/** A file of one column may have this number of titles. More lines are rows of a file whose column has no name. */
const TITLES_OF_ONE_COLUMN = 3;
/** The number of lines that decide whether a file has comments. */
const COMMENT_LINES = 100_000;

/** The characters that separate the cells of a line. */
export const SEPARATORS = [',', ';', '\t', '|', ':'] as const;
export type Separator = (typeof SEPARATORS)[number];
/** The largest number of lines at the beginning of a file that staff can leave out. */
export const SKIP_LINES_MAX = 100;
/**
 * Codes and titles contain `|` and `:` too. So these separate cells only in a line with this number of known names. A
 * list such as `code: A` has one.
 */
const NAMES_FOR: Record<string, number> = { '|': 1, ':': 2 };
/** Fields that a file must have. A file of users may have addresses alone (N-37). */
export const REQUIRED = { ...csvKinds, users: { required: ['email'] } } as Record<
  CsvKind,
  { required: readonly string[] }
>;
export const KINDS = Object.keys(csvKinds) as CsvKind[];

/** Returns the start behind a byte-order mark and Excel's line `sep=;`, and the separator of this line. */
export function skipMarks(text: string): { start: CsvStart; separator: string | undefined } {
  const at = text.startsWith('\uFEFF') ? 1 : 0;
  const line = /^"?sep=([,;\t|:])?"?[ ]*(?:\r\n|\r|\n|$)/i.exec(text.slice(at, at + 20));
  return { start: line ? { at: at + line[0].length, row: 2 } : { at, row: 1 }, separator: line?.[1] };
}

/** Returns the start behind the first `count` lines of the text, and those of them that have text. */
export function skipLines(
  text: string,
  { at, row }: CsvStart,
  count: number,
): { start: CsvStart; skipped: LeftOut[] } {
  const restOfLine = /[^\r\n]*(?:\r\n|\r|\n|$)/y;
  const skipped: LeftOut[] = [];
  restOfLine.lastIndex = at;
  let last = row;
  for (; last < row + count && restOfLine.lastIndex < text.length; last += 1) {
    const [line = ''] = restOfLine.exec(text) ?? [];
    if (line.trim() !== '') skipped.push({ line: last, why: 'title' });
  }
  return { start: { at: restOfLine.lastIndex, row: last }, skipped };
}

/**
 * True if lines that begin with # are comments. If at least half of the lines begin with #, they are rows (N-307).
 */
export function findsComments(text: string): boolean {
  if (!text.includes('#') || !/(?:^|[\r\n\uFEFF])[ \t]*#/.test(text)) return false;
  const restOfLine = /\S[^\r\n]*/g;
  let [lines, comments] = [0, 0];
  for (let line = restOfLine.exec(text); line && lines < COMMENT_LINES; line = restOfLine.exec(text)) {
    lines += 1;
    if (line[0].startsWith('#')) comments += 1;
  }
  return 2 * comments < lines;
}

/** True if the line begins with #. A cell in quotes is no comment. */
export function isComment(text: string, { at }: CsvLine): boolean {
  let first = at;
  while (text[first] === ' ' || text[first] === '\t') first += 1;
  return text[first] === '#';
}

/** If the whole line is one quoted cell, returns the cells inside the quotes; otherwise the line unchanged. */
export function unwrapLine(line: CsvLine, delimiter: string): CsvLine {
  const [inside = ''] = line.cells;
  if (!line.isQuoted || line.cells.length > 1 || !inside.includes(delimiter)) return line;
  const [unwrapped, more] = splitLines(inside, delimiter, { at: 0, row: line.row });
  return unwrapped === undefined || more ? line : { ...unwrapped, at: line.at };
}

type HeadOptions = {
  delimiter: string;
  start: CsvStart;
  hasComments: boolean;
  /** False if staff have chosen the columns: then the first line is the head. */
  hasTitles: boolean;
};

/**
 * Returns the head of the file; null for a file without text. The head is the first line that is no comment, unless
 * column names follow below titles.
 * @throws CsvLimitError if the beginning of the file is beyond the limits.
 */
export function findHead(kind: CsvKind, text: string, options: HeadOptions): CsvHead | null {
  const { delimiter, hasComments, hasTitles } = options;
  const above: LeftOut[] = [];
  const titles: CsvLine[] = [];
  let first: CsvHead | null = null;
  for (const line of readHead(text, options)) {
    const unwrapped = unwrapLine(line, delimiter);
    const isWrapped = unwrapped !== line && hasRequired(kind, unwrapped.cells);
    const head = isWrapped ? unwrapped : line;
    if (isWrapped || hasRequired(kind, line.cells)) {
      if (titles.length > 0 && !areTitles(titles, head)) return first;
      const left = titles.map(({ row }): LeftOut => ({ line: row, why: 'title' }));
      return {
        line: head,
        above: [...above, ...left].sort((one, other) => one.line - other.line),
        isWrapped,
      };
    }
    if (hasComments && isComment(text, line)) above.push({ line: line.row, why: 'comment' });
    else {
      first ??= { line, above: [...above], isWrapped: false };
      titles.push(line);
      if (!hasTitles) return first;
    }
  }
  return first;
}

/** Yields the first lines with text. @throws CsvLimitError if the first of them is beyond the limits. */
function* readHead(text: string, { delimiter, start }: HeadOptions): Generator<CsvLine> {
  let [cells, lines] = [0, 0];
  try {
    for (const line of splitLines(text, delimiter, start)) {
      const isBlankCode = line.isQuoted && line.cells.length === 1;
      if (isBlankCode || !isBlankLine(line)) {
        yield line;
        lines += 1;
      }
      cells += line.cells.length;
      if (lines === 0 && cells > BLANK_CELLS_MAX)
        throw new CsvLimitError('The CSV file cannot be read: its first 100,000 cells are empty');
      if (lines === HEAD_LINES || line.at - start.at > HEAD_CHARS) return;
    }
  } catch (error) {
    // The file is refused later, when all its lines are read.
    if (lines === 0) throw error;
  }
}

const filledOf = (cells: readonly string[]) => cells.filter((cell) => cell.trim() !== '');

/**
 * True if the lines can be titles of a table with these column names: they have fewer texts than the table has columns.
 * A title above one column consists of several words, because a code has no spaces.
 */
function areTitles(lines: readonly CsvLine[], names: CsvLine): boolean {
  const columns = filledOf(names.cells).length;
  if (columns === 1 && lines.length > TITLES_OF_ONE_COLUMN) return false;
  return lines.every(({ cells }) => {
    const texts = filledOf(cells);
    if (texts.some((text) => email.safeParse(text.trim()).success)) return false;
    return columns > 1 ? texts.length < columns : texts.length === 1 && /\S\s+\S/.test(texts[0] ?? '');
  });
}

function hasRequired(kind: CsvKind, cells: readonly string[]): boolean {
  const found = cells.map((cell) => csvFieldOf(kind, cell.trim()));
  return REQUIRED[kind].required.every((field) => found.includes(field));
}

/**
 * Returns the delimiter with which the head of the file has the most known column names. If no name is known, returns
 * the delimiter with which the head has the most cells, even if there are too many cells.
 */
export function chooseDelimiter(
  kind: CsvKind,
  text: string,
  options: Omit<HeadOptions, 'delimiter'>,
): string {
  const rate = (delimiter: string): number[] => {
    const names = NAMES_FOR[delimiter] ?? 0;
    try {
      const { cells } = findHead(kind, text, { ...options, delimiter })?.line ?? {};
      // All lines consist of this delimiter alone.
      if (cells === undefined) return names > 0 ? [-1] : [0, 0, Number.POSITIVE_INFINITY];
      const known = cells.filter((cell) => KINDS.some((some) => csvFieldOf(some, cell.trim()) !== null));
      const own = cells.filter((cell) => csvFieldOf(kind, cell.trim()) !== null);
      if (names > 0 && (own.length < names || cells.length < 2)) return [-1];
      return [own.length, known.length, known.length > 0 ? 0 : cells.length];
    } catch (error) {
      const isTooMuch = error instanceof CsvLimitError && !error.isCellTooLong && names === 0;
      return isTooMuch ? [0, 0, Number.POSITIVE_INFINITY] : [-1];
    }
  };
  const rated = SEPARATORS.map((delimiter) => ({ delimiter, rate: rate(delimiter) }));
  const compare = (one: number[], other: number[]) =>
    one.map((value, at) => (other[at] ?? 0) - value).find(Boolean) ?? 0;
  return rated.toSorted((one, other) => compare(one.rate, other.rate))[0]?.delimiter ?? ',';
}
