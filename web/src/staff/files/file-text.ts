// Reads the text of a chosen file: CSV in its encoding, or a sheet of a workbook as CSV (R-MAP-12).
import {
  type CsvOptions,
  chooseEncoding,
  decodeAs,
  type Encoding,
  findEncoding,
  type Separator,
  takeSample,
} from '@portal/contract';
import { t } from '../../words/translate.ts';

/** Choices of staff about how a file is read. If a choice is missing, the page decides. */
export type ReadChoices = {
  /** The index of the sheet among the visible sheets of a workbook. */
  sheet?: number;
  encoding?: Encoding;
  separator?: Separator;
  skip_lines?: number;
  /** True if staff want to choose the columns, also if nothing is doubtful. */
  asks?: boolean;
};

export type FileText = {
  text: string;
  /** What is known about the layout of `text`. */
  options: CsvOptions;
  /** What a workbook shows in another way than `text`, in words. */
  notes: readonly string[];
  /** The names of the visible sheets; empty for CSV. `sheet` is the index of the one that was read. */
  sheets: readonly string[];
  sheet: number;
  /** The encoding of a CSV file; null if it does not matter, because all bytes are ASCII, and for a workbook. */
  encoding: Encoding | null;
};

const WORKBOOK_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

export function isWorkbook({ name, type }: { name: string; type: string }): boolean {
  return name.toLowerCase().endsWith('.xlsx') || type === WORKBOOK_TYPE;
}

/**
 * Reads the file, and returns its text. Returns the reason as `Error` if a workbook cannot be read.
 * @throws if the browser cannot read the file.
 */
export async function readFileText(
  file: File,
  { sheet = 0, encoding: chosen, separator, skip_lines }: ReadChoices,
): Promise<FileText | Error> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (!isWorkbook(file)) {
    const encoding = chosen ?? (await detectEncoding(bytes));
    const isPlain = bytes.every((byte) => byte < 0x80);
    const text = decodeAs(bytes, encoding);
    return {
      text,
      options: { separator, skip_lines },
      notes: [],
      sheets: [],
      sheet: 0,
      encoding: isPlain ? null : encoding,
    };
  }
  const { openWorkbook, WorkbookError } = await import('./read-xlsx.ts');
  try {
    const { names, read } = await openWorkbook(bytes);
    const { csv, notes } = await read(sheet);
    if (csv === '') return new Error(t('The sheet {name} is empty.', { name: names[sheet] ?? '' }));
    return {
      text: csv,
      options: { separator: ',', skip_lines },
      notes,
      sheets: names,
      sheet,
      encoding: null,
    };
  } catch (error) {
    if (error instanceof WorkbookError) return error;
    throw error;
  }
}

/** The detector is large. The page loads it for files that are neither UTF-8 nor UTF-16. */
async function detectEncoding(bytes: Uint8Array): Promise<Encoding> {
  const sample = takeSample(bytes);
  if (sample === null) return findEncoding(bytes);
  const { detectAll } = await import('jschardet');
  return chooseEncoding(detectAll(sample), sample);
}
