// Recognises files that are not CSV by their content, whatever their name (R-MAP-12, N-305).

import { CsvError } from './csv.ts';

/** The beginning of the text that decides whether a file is binary, in characters. */
const JUDGED_CHARS = 1_000;
const CONTROLS = /[^\P{Cc}\t\n\r]|\uFFFF/gu;
/** The first bytes of ZIP archives. An archive with the file WORKBOOK is an Excel workbook. */
const ZIP = ['PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08'];
const WORKBOOK = 'xl/workbook.';
// The first bytes of other binary files: as `decodeCsv` decodes them as Windows-1252, and as invalid UTF-8.
const EXCEL = ['\u00d0\u00cf\x11\u00e0', '\uFFFD\uFFFD\x11\u0871'];
const BINARY = [
  ...['\x1f\u2039', '\x1f\uFFFD', '\u2030PNG', '\uFFFDPNG', 'GIF87a', 'GIF89a'],
  ...['\u00ff\u00d8\u00ff', '\uFFFD\uFFFD\uFFFD', 'SQLite format 3'],
];

const CONTENTS: [pattern: RegExp, name: string][] = [
  [/^%PDF-/, 'a PDF document'],
  [/^\{\\rtf/, 'an RTF document'],
  [/^<(?:!doctype|html|head|body|table|meta|style|script|div)\b|^<!--/i, 'an HTML page'],
  [/^<\?xml\b/i, 'an XML document'],
  [/^(?:\{\s*"[^"]*"\s*:|\[\s*["{[]|\{\s*\}\s*$|\[\s*\]\s*$)/, 'JSON'],
];

/**
 * Does nothing for a text that can be CSV.
 * @throws CsvError that names what the text looks like.
 */
export function refuseOtherContent(text: string): void {
  const looks = nameContent(text);
  if (looks === null) return;
  throw new CsvError(`This is not a CSV file: it looks like ${looks}. Save it as CSV and upload that file.`);
}

/** True if the text looks like something else than CSV. */
export const isOtherContent = (text: string) => nameContent(text) !== null;

function nameContent(text: string): string | null {
  const begins = (beginnings: readonly string[]) => beginnings.some((each) => text.startsWith(each));
  if (begins(ZIP)) return text.includes(WORKBOOK) ? 'an Excel workbook (.xlsx)' : 'a ZIP archive';
  if (begins(EXCEL)) return 'an Excel workbook (.xls)';
  if (begins(BINARY)) return 'binary data';
  const beginning = text.slice(0, JUDGED_CHARS);
  const known = CONTENTS.find(([pattern]) => pattern.test(beginning.trimStart()));
  if (known) return known[1];
  const controls = beginning.match(CONTROLS)?.length ?? 0;
  // One control character makes only its row invalid (N-40).
  return controls > 1 && 10 * controls >= beginning.length ? 'binary data' : null;
}
