// Reads workbooks of Excel (.xlsx) as CSV (R-MAP-12). The page loads this module when such a file is chosen.
import { CSV_COLUMNS_MAX, IMPORT_LIMIT_BYTES, writeCsvLine } from '@portal/contract';
import { Inflate } from 'fflate';
import { dateFromSerial, format, getFormatFromId, getFormatInfo } from 'numfmt';
import { Parser } from 'saxen';
import { t } from '../../words/translate.ts';

/**
 * Limits that bound time and memory, because a small archive can contain terabytes: bytes of the file and of all its
 * unpacked parts, rows, characters of the shared texts, and characters of a part or row that is read as a whole.
 */
export const XLSX_LIMITS = {
  bytes: 20_000_000,
  unpacked: 500_000_000,
  rows: 500_000,
  strings: 200_000_000,
  part: 40_000_000,
};
/** Bytes of the archive between two pauses. They hold at most 16 MB of text. */
const SLICE_BYTES = 16_384;
/** While a large file is read, the page handles other events after this time. */
const SLICE_MS = 30;

/** Thrown if a workbook cannot be read. The message is in the language of the page. */
export class WorkbookError extends Error {
  override name = 'WorkbookError';
}

/** A sheet as CSV with commas. `notes` says in words what the sheet shows in another way than the CSV. */
export type SheetText = { csv: string; notes: string[] };
/** `names` are the names of the visible sheets. `read` returns one of them by its index. */
export type Workbook = { names: string[]; read: (sheet: number) => Promise<SheetText> };

/** @throws WorkbookError if the file is no workbook, has a password, is damaged, or is beyond the limits. */
export async function openWorkbook(bytes: Uint8Array): Promise<Workbook> {
  if (bytes.length > XLSX_LIMITS.bytes)
    throw new WorkbookError(
      t('The file is {size} MB; {most} MB is the most. Split it in two.', {
        size: Math.ceil(bytes.length / 1_000_000),
        most: XLSX_LIMITS.bytes / 1_000_000,
      }),
    );
  refuseOther(bytes);
  const [root] = await readParts(bytes, ['_rels/.rels']);
  const book = findTarget(root ?? '', '', '/officeDocument') ?? 'xl/workbook.xml';
  const folder = book.slice(0, book.lastIndexOf('/') + 1);
  const rels = `${folder}_rels/${book.slice(folder.length)}.rels`;
  const [workbook, relations = ''] = await readParts(bytes, [book, rels]);
  if (workbook === undefined) throw notRead();
  const { sheets, is1904 } = readSheets(workbook);
  if (sheets.length === 0) throw notRead();
  const [styles = ''] = await readParts(bytes, [findTarget(relations, folder, '/styles') ?? '']);
  const formats = readFormats(styles);
  const strings = await readStrings(bytes, findTarget(relations, folder, '/sharedStrings'));
  return {
    names: sheets.map(({ name }) => name),
    read: (sheet) => {
      const path = findTarget(relations, folder, '/worksheet', sheets[sheet]?.id);
      if (path === null) throw notRead();
      return readSheet(bytes, path, { strings, formats, is1904 });
    },
  };
}

const notRead = () =>
  new WorkbookError(t('This Excel file is damaged. Open it in Excel, save it again, and choose it again.'));
const tooLarge = () =>
  new WorkbookError(t('This Excel file is too large when it is unpacked. Split it in two.'));
const tooManyRows = () =>
  new WorkbookError(t('The sheet has more than {most} rows. Split it in two.', { most: XLSX_LIMITS.rows }));

/** The first bytes of the older format of Excel, in which workbooks with a password are stored too. */
const OLE = [0xd0, 0xcf, 0x11, 0xe0];
const ZIP = [0x50, 0x4b];
/** The name of the stream of an encrypted workbook, as UTF-16. */
const ENCRYPTED = 'E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e';

function refuseOther(bytes: Uint8Array): void {
  const begins = (first: readonly number[]) => first.every((byte, at) => bytes[at] === byte);
  if (begins(ZIP)) return;
  if (!begins(OLE)) throw new WorkbookError(t('This is not an Excel file (.xlsx).'));
  const text = new TextDecoder('latin1').decode(bytes);
  throw new WorkbookError(
    text.includes(ENCRYPTED)
      ? t('This Excel file has a password. Save it without a password and choose it again.')
      : t('This is an old Excel file (.xls). Save it as .xlsx or CSV and choose it again.'),
  );
}

type Take = (chunk: Uint8Array, isLast: boolean) => void;

const samePath = (path: string) => path.replaceAll('\\', '/').replace(/^\//, '').toLowerCase();

type Entry = { path: string; isDeflated: boolean; data: Uint8Array };

/** Signatures of the parts of an archive, and the largest length of the comment at its end. */
const ARCHIVE = { end: 0x06054b50, entry: 0x02014b50, file: 0x04034b50, endBytes: 22, commentMax: 65_535 };

/** Returns the files of the archive, which are still packed. @throws RangeError or WorkbookError if it is damaged. */
function listEntries(bytes: Uint8Array): Entry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - ARCHIVE.endBytes;
  while (view.getUint32(end, true) !== ARCHIVE.end) {
    if (end < bytes.length - ARCHIVE.endBytes - ARCHIVE.commentMax) throw notRead();
    end -= 1;
  }
  const entries: Entry[] = [];
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    const [nameBytes, extra, comment] = [28, 30, 32].map((field) => view.getUint16(at + field, true)) as [
      number,
      number,
      number,
    ];
    const file = view.getUint32(at + 42, true);
    if (view.getUint32(at, true) !== ARCHIVE.entry || view.getUint32(file, true) !== ARCHIVE.file)
      throw notRead();
    const from = file + 30 + view.getUint16(file + 26, true) + view.getUint16(file + 28, true);
    entries.push({
      path: samePath(new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameBytes))),
      isDeflated: view.getUint16(at + 10, true) === 8,
      data: bytes.subarray(from, from + view.getUint32(at + 20, true)),
    });
    at += 46 + nameBytes + extra + comment;
  }
  return entries;
}

/**
 * Unpacks the files of the archive for which `find` returns a function. Calls this function with the parts of the file.
 * @throws WorkbookError if the archive is damaged or beyond the limits.
 */
async function unpack(bytes: Uint8Array, find: (path: string) => Take | undefined): Promise<void> {
  let unpacked = 0;
  let sliceMs = Date.now();
  try {
    for (const { path, isDeflated, data } of listEntries(bytes)) {
      const take = find(path);
      if (!take) continue;
      const count: Take = (chunk, isLast) => {
        unpacked += chunk.length;
        if (unpacked > XLSX_LIMITS.unpacked) throw tooLarge();
        take(chunk, isLast);
      };
      const inflate = isDeflated ? new Inflate(count) : { push: count };
      for (let at = 0; at === 0 || at < data.length; at += SLICE_BYTES) {
        inflate.push(data.subarray(at, at + SLICE_BYTES), at + SLICE_BYTES >= data.length);
        if (Date.now() - sliceMs < SLICE_MS) continue;
        await new Promise((resolve) => setTimeout(resolve));
        sliceMs = Date.now();
      }
    }
  } catch (error) {
    throw error instanceof WorkbookError ? error : notRead();
  }
}

/** Returns the text of each file in the order of `paths`; undefined for a file that the archive does not have. */
async function readParts(bytes: Uint8Array, paths: readonly string[]): Promise<(string | undefined)[]> {
  const texts = new Map<string, string>();
  await unpack(bytes, (path) => {
    if (!paths.some((each) => samePath(each) === path)) return undefined;
    const decoder = new TextDecoder('utf-8', { fatal: true });
    texts.set(path, '');
    return (chunk, isLast) => {
      const text = texts.get(path) + decoder.decode(chunk, { stream: !isLast });
      if (text.length > XLSX_LIMITS.part) throw tooLarge();
      texts.set(path, text);
    };
  });
  return paths.map((path) => texts.get(samePath(path)));
}

type Attributes = Record<string, string>;
type Handlers = {
  open?: (name: string, attributes: () => Attributes) => void;
  close?: (name: string) => void;
  text?: (text: string) => void;
};

/** Names of elements come without their namespace. @throws WorkbookError if the XML is not well-formed. */
function parseXml(xml: string, { open, close, text }: Handlers): void {
  const parser = new Parser();
  const localName = (name: string) => name.slice(name.indexOf(':') + 1);
  parser.on('error', () => {
    throw notRead();
  });
  if (open)
    parser.on('openTag', (name, attributes, decode) =>
      open(localName(name), () => decodeAll(attributes(), decode)),
    );
  if (close) parser.on('closeTag', (name) => close(localName(name)));
  if (text) {
    parser.on('text', (value, decode) => text(decode(value)));
    parser.on('cdata', text);
  }
  parser.parse(xml);
}

function decodeAll(attributes: Attributes, decode: (text: string) => string): Attributes {
  for (const [name, value] of Object.entries(attributes))
    if (value.includes('&')) attributes[name] = decode(value);
  return attributes;
}

/** Returns the path of the first part whose type ends with `type` and whose id is `id`, if given; null if there is none. */
function findTarget(relations: string, folder: string, type: string, id?: string): string | null {
  let found: string | null = null;
  if (relations === '') return null;
  parseXml(relations, {
    open: (_name, attributes) => {
      const { Id, Type = '', Target = '' } = attributes();
      if (found !== null || !Type.endsWith(type) || (id !== undefined && Id !== id)) return;
      found = Target.startsWith('/') ? Target.slice(1) : joinPath(folder, Target);
    },
  });
  return found;
}

function joinPath(folder: string, target: string): string {
  const parts: string[] = [];
  for (const part of `${folder}${target}`.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/** Returns the visible sheets, and whether days are counted from 1904. */
function readSheets(workbook: string): { sheets: { name: string; id: string }[]; is1904: boolean } {
  const sheets: { name: string; id: string }[] = [];
  let is1904 = false;
  parseXml(workbook, {
    open: (element, attributes) => {
      if (element === 'workbookPr') is1904 = isTrue(attributes().date1904);
      if (element !== 'sheet') return;
      const { name = '', state = 'visible', ...others } = attributes();
      const id = Object.entries(others).find(([key]) => key.endsWith(':id'))?.[1] ?? '';
      if (state === 'visible') sheets.push({ name, id });
    },
  });
  return { sheets, is1904 };
}

const isTrue = (value: string | undefined) => value === '1' || value === 'true';

/** Returns the number format of each style, by the index that cells name. */
function readFormats(styles: string): string[] {
  const own = new Map<string, string>();
  const formats: string[] = [];
  let isOfCells = false;
  if (styles === '') return formats;
  parseXml(styles, {
    open: (name, attributes) => {
      if (name === 'cellXfs') isOfCells = true;
      const { numFmtId = '0', formatCode = '' } = name === 'numFmt' || name === 'xf' ? attributes() : {};
      if (name === 'numFmt') own.set(numFmtId, formatCode);
      if (name === 'xf' && isOfCells) formats.push(own.get(numFmtId) ?? getFormatFromId(Number(numFmtId)));
    },
    close: (name) => {
      if (name === 'cellXfs') isOfCells = false;
    },
  });
  return formats;
}

/**
 * Returns a function that takes the text of a file in parts, and calls `parse` with XML of whole elements `tag`. Calls
 * `end` with the text behind the last of these elements.
 */
function createSplitter(tag: string, parse: (xml: string) => void, end?: (rest: string) => void): Take {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const opening = new RegExp(`<(?:[\\w.-]+:)?${tag}[\\s/>]`);
  const closing = new RegExp(`</(?:[\\w.-]+:)?${tag}\\s*>`);
  let mark: string | null = null;
  let begun = false;
  let rest = '';
  return (chunk, isLast) => {
    rest += decoder.decode(chunk, { stream: !isLast });
    if (!begun) {
      const at = rest.search(opening);
      begun = at !== -1;
      if (begun) rest = rest.slice(at);
    }
    mark ??= closing.exec(rest)?.[0] ?? null;
    const last = begun && mark !== null ? rest.lastIndexOf(mark) : -1;
    if (mark !== null && last !== -1) {
      const to = last + mark.length;
      parse(`<all>${rest.slice(0, to)}</all>`);
      rest = rest.slice(to);
    }
    if (rest.length > XLSX_LIMITS.part) throw tooLarge();
    if (isLast) end?.(rest);
  };
}

/** Returns the texts that many cells share. Phonetic texts are left out, because Excel shows them above the cell. */
async function readStrings(bytes: Uint8Array, path: string | null): Promise<string[]> {
  const strings: string[] = [];
  if (path === null) return strings;
  let chars = 0;
  const parse = (xml: string) => {
    let [text, isText, isPhonetic] = ['', false, false];
    parseXml(xml, {
      open: (name) => {
        if (name === 'si') text = '';
        if (name === 'rPh') isPhonetic = true;
        isText = name === 't' && !isPhonetic;
      },
      close: (name) => {
        isText = false;
        if (name === 'rPh') isPhonetic = false;
        if (name !== 'si') return;
        strings.push(unescapeText(text));
        chars += text.length;
        if (chars > XLSX_LIMITS.strings) throw tooLarge();
      },
      text: (value) => {
        if (isText) text += value;
      },
    });
  };
  await unpack(bytes, (each) => (each === samePath(path) ? createSplitter('si', parse) : undefined));
  return strings;
}

/** Excel writes a character that XML cannot have as _x000D_. */
const unescapeText = (text: string) =>
  text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_all, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      )
    : text;

type Book = { strings: readonly string[]; formats: readonly string[]; is1904: boolean };
type Cell = { type: string; style: number; isFormula: boolean; value: string | null };
type Counts = Record<'hidden' | 'merged' | 'noResult' | 'unknownFormat' | 'errors' | 'broken', number>;

/** @throws WorkbookError if the sheet is damaged or beyond the limits. */
async function readSheet(bytes: Uint8Array, path: string, book: Book): Promise<SheetText> {
  const counts: Counts = { hidden: 0, merged: 0, noResult: 0, unknownFormat: 0, errors: 0, broken: 0 };
  const showCell = createCellReader(book, counts);
  const lines: string[] = [];
  let chars = 0;
  let row = 0;
  const addRow = (cells: string[], number: number, isHidden: boolean) => {
    if (cells.every((cell) => cell.trim() === '')) return;
    if (number > XLSX_LIMITS.rows) throw tooManyRows();
    // Empty rows stay, so that the number of a line is the number of its row.
    if (number > row + 1) lines.push('\r\n'.repeat(number - row - 1));
    const line = writeCsvLine(cells);
    lines.push(line);
    row = number;
    chars += line.length;
    if (chars > IMPORT_LIMIT_BYTES) throw tooLarge();
    if (isHidden) counts.hidden += 1;
  };
  const rows = createRowReader(showCell, addRow);
  const end = (rest: string) => {
    counts.merged = rest.match(/<(?:[\w.-]+:)?mergeCell\s/g)?.length ?? 0;
  };
  let isFound = false;
  await unpack(bytes, (each) => {
    if (each !== samePath(path)) return undefined;
    isFound = true;
    return createSplitter('row', rows, end);
  });
  if (!isFound) throw notRead();
  return { csv: lines.join(''), notes: listNotes(counts) };
}

type AddRow = (cells: string[], row: number, isHidden: boolean) => void;

/** Returns a function that reads XML of whole rows, in their order, and calls `addRow` with each. */
function createRowReader(showCell: (cell: Cell) => string, addRow: AddRow): (xml: string) => void {
  let row = 0;
  let isHidden = false;
  let cells: string[] = [];
  let at = -1;
  let cell: Cell | null = null;
  let isText = false;
  let isPhonetic = false;
  const open: Handlers['open'] = (name, attributes) => {
    isText = (name === 'v' || name === 't') && !isPhonetic;
    if (name === 'row') {
      const { r, hidden } = attributes();
      row = r === undefined ? row + 1 : Number(r);
      isHidden = isTrue(hidden);
      [cells, at] = [[], -1];
    } else if (name === 'c') {
      const { r, t: type = 'n', s = '' } = attributes();
      at = r === undefined ? at + 1 : columnOf(r);
      if (at >= CSV_COLUMNS_MAX) throw new WorkbookError(t('The sheet has more than 1,000 columns.'));
      cell = { type, style: s === '' ? -1 : Number(s), isFormula: false, value: null };
    } else if (name === 'f' && cell) cell.isFormula = true;
    else if (name === 'rPh') isPhonetic = true;
    if (isText && cell) cell.value ??= '';
  };
  const close: Handlers['close'] = (name) => {
    isText = false;
    if (name === 'rPh') isPhonetic = false;
    if (name === 'c' && cell) {
      const text = showCell(cell).trim();
      if (text !== '') {
        while (cells.length < at) cells.push('');
        cells[at] = text;
      }
      cell = null;
    }
    if (name === 'row') addRow(cells, row, isHidden);
  };
  const text: Handlers['text'] = (value) => {
    if (isText && cell) cell.value += value;
  };
  return (xml) => parseXml(xml, { open, close, text });
}

/** Returns the index of the column of an address such as AB12. */
function columnOf(address: string): number {
  let column = 0;
  for (const letter of /^[A-Z]{1,3}/.exec(address)?.[0] ?? '')
    column = column * 26 + letter.charCodeAt(0) - 64;
  if (column === 0) throw notRead();
  return column - 1;
}

/** Returns a function that returns the text of a cell as Excel shows it, on one line; days as 2026-12-31. */
function createCellReader({ strings, formats, is1904 }: Book, counts: Counts): (cell: Cell) => string {
  const kinds = new Map<number, { code: string; isDay: boolean }>();
  const kindOf = (style: number) => {
    const code = formats[style] ?? 'General';
    const known = kinds.get(style) ?? { code, isDay: /^date/.test(getFormatInfo(code).type) };
    kinds.set(style, known);
    return known;
  };
  const showNumber = (text: string, style: number): string => {
    const value = Number(text);
    if (!Number.isFinite(value)) throw notRead();
    const { code, isDay } = kindOf(style);
    if (isDay && value >= 0) return showDay(is1904 ? value + DAYS_1904 : value);
    // Excel keeps 15 digits. The import refuses such a number in a code (R-MAP-11).
    if (Number.isInteger(value) && Math.abs(value) >= 1e15) return value.toExponential(14).toUpperCase();
    try {
      return format(code, value, { locale: 'en' });
    } catch {
      counts.unknownFormat += 1;
      return text;
    }
  };
  // Line breaks inside a cell would move the numbers of the lines below.
  const oneLine = (text: string) => {
    if (!/[\r\n]/.test(text.trim())) return text;
    counts.broken += 1;
    return text.replaceAll(/\s*[\r\n]+\s*/g, ' ');
  };
  return ({ type, style, isFormula, value }) => {
    if (value === null) {
      if (isFormula) counts.noResult += 1;
      return '';
    }
    if (type === 'e') counts.errors += 1;
    if (type === 's') {
      const shared = strings[Number(value)];
      if (shared === undefined) throw notRead();
      return oneLine(shared);
    }
    if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
    if (type === 'd') return value.replace('T', ' ').replace(/ 00:00:00(\.0+)?Z?$/, '');
    return type === 'n' && value !== '' ? showNumber(value, style) : oneLine(unescapeText(value));
  };
}

/** Days between the beginnings of the two calendars of Excel. */
const DAYS_1904 = 1462;

/** Returns a day as 2026-12-31, with the time of day if there is one. */
function showDay(serial: number): string {
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = dateFromSerial(serial) ?? [];
  const two = (value: number) => String(value).padStart(2, '0');
  const date = `${year}-${two(month)}-${two(day)}`;
  return hours + minutes + seconds === 0 ? date : `${date} ${two(hours)}:${two(minutes)}:${two(seconds)}`;
}

function listNotes({ hidden, merged, noResult, unknownFormat, errors, broken }: Counts): string[] {
  return [
    hidden > 0 && t('Hidden rows of the sheet, which are read too: {count}', { count: hidden }),
    merged > 0 && t('Merged cells, of which only the first has the text: {count}', { count: merged }),
    noResult > 0 &&
      t('Formulas without a stored result, which are read as empty: {count}', { count: noResult }),
    unknownFormat > 0 &&
      t('Numbers in a format that the portal does not know, which are read as stored: {count}', {
        count: unknownFormat,
      }),
    broken > 0 && t('Line breaks inside cells, which become spaces: {count}', { count: broken }),
    errors > 0 && t('Cells with an error of Excel, such as #N/A: {count}', { count: errors }),
  ].filter((note) => note !== false);
}
