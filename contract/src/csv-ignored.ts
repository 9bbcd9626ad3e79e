// Names the columns of a CSV file that an import ignores, and finds those that it should ask about (R-MAP-22).
import type { CsvKind } from './csv.ts';
import { looksLikeDay } from './csv-days.ts';
import { type CsvLayout, hasRecord } from './csv-layout.ts';
import { splitLines } from './csv-lines.ts';
import { csvFieldOf } from './csv-names.ts';

/**
 * A column that is ignored. `name` is its name, or 'column 3' if it has none. `isMissed` is true if the kind of file has a
 * field for the column that no column fills: the column has days or is one half of a name.
 */
export type IgnoredColumn = { name: string; isMissed: boolean };

/** Columns of the portal's own files about an upload. They are ignored without a word (R-IMP-17). */
const OWN = new Set(['line', 'reason']);
/** The first rows decide what a column holds. */
const JUDGED_ROWS = 1_000;
/** Reading ends here, because lines may be long. */
const JUDGED_CHARS = 1_000_000;
/** A column has days if so many of its cells are days. */
const SHARE = 0.9;

/**
 * Returns the columns of the file that are ignored, in their order. A column without a name counts only if one of its
 * first 1,000 cells has text, because separators at the end of the lines make no columns.
 * @throws CsvError as `splitLines`.
 */
export function listIgnored(kind: CsvKind, text: string, layout: CsvLayout): IgnoredColumn[] {
  const places = layout.fields.flatMap((field, at) =>
    field === null && !OWN.has((layout.names[at] ?? '').toLowerCase()) ? [at] : [],
  );
  if (places.length === 0) return [];
  const cells = readFirst(text, layout);
  return places.flatMap((at) => {
    const name = layout.names[at] || null;
    const filled = cells.map((line) => line[at]?.trim() ?? '').filter((cell) => cell !== '');
    if (name === null && filled.length === 0) return [];
    return [{ name: name ?? `column ${at + 1}`, isMissed: isMissed(kind, layout, { name, filled }) }];
  });
}

function readFirst(text: string, layout: CsvLayout): string[][] {
  const lines: string[][] = [];
  let isHeader = layout.header;
  let chars = 0;
  for (const line of splitLines(text, layout.delimiter, layout.start)) {
    if (!hasRecord(line, layout)) continue;
    if (!isHeader) lines.push(line.cells);
    isHeader = false;
    for (const cell of line.cells) chars += cell.length;
    if (lines.length === JUDGED_ROWS || chars > JUDGED_CHARS) break;
  }
  return lines;
}

function isMissed(
  kind: CsvKind,
  { fields }: CsvLayout,
  { name, filled }: { name: string | null; filled: readonly string[] },
): boolean {
  if (kind === 'coupons')
    return !fields.includes('use_by') && filled.length > 0 && countDays(filled) >= SHARE * filled.length;
  const field = name === null ? null : csvFieldOf(kind, name);
  const isPart = field === 'first_name' || field === 'last_name';
  return isPart && !fields.includes('name') && !fields.includes('first_name');
}

const countDays = (cells: readonly string[]) => cells.filter(looksLikeDay).length;
