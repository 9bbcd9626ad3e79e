// Writes rows as a workbook of Excel (.xlsx) in parts. All cells are texts, so that codes stay as they are (N-305).
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';

export type Cells = (string | number | null)[];

/** A sheet of Excel has room for 1,048,576 rows. Further rows are on further sheets. */
const SHEET_ROWS = 1_000_000;
/** Deflates twice as fast as the default level, for files that are a tenth larger. */
const compressionLevel = 3;

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const SPREADSHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** The style with the index 1 is text; with 2, bold text. */
const STYLES = `${XML}<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/></cellXfs></styleSheet>`;

/**
 * Yields the parts of the file. The first step of `steps` has one row, the names of the columns, which each sheet
 * repeats. Holds one step in memory. If `steps` throws, this function throws.
 */
export async function* writeXlsx(steps: AsyncIterable<Cells[]>): AsyncGenerator<Uint8Array> {
  const rows = steps[Symbol.asyncIterator]();
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  let sheet: Readable | undefined;
  try {
    const [head = []] = (await rows.next()).value ?? [];
    let step = await rows.next();
    const writeSheet = async function* () {
      let count = 1;
      yield startSheet(head);
      // A sheet without rows is written for an empty table only.
      while (!step.done && count + step.value.length <= SHEET_ROWS) {
        const first = count + 1;
        yield step.value.map((cells, at) => writeRow(cells, first + at, 1)).join('');
        count += step.value.length;
        step = await rows.next();
      }
      yield '</sheetData></worksheet>';
    };
    const addSheet = (number: number) => {
      sheet = Readable.from(writeSheet());
      sheet.on('error', (error) => output.destroy(error));
      sheet.on('end', () => (step.done ? addBook(zip, number) : addSheet(number + 1)));
      zip.addReadStream(sheet, `xl/worksheets/sheet${number}.xml`, { compressionLevel });
    };
    addSheet(1);
    for await (const part of output) yield part;
  } finally {
    sheet?.destroy();
    await rows.return?.();
  }
}

/** Adds the parts of a workbook with this number of sheets, and ends the archive. */
function addBook(zip: ZipFile, sheets: number): void {
  const numbers = Array.from({ length: sheets }, (_sheet, at) => at + 1);
  const list = (write: (number: number) => string) => numbers.map(write).join('');
  const parts = {
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${SPREADSHEET}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${SPREADSHEET}.styles+xml"/>${list((number) => `<Override PartName="/xl/worksheets/sheet${number}.xml" ContentType="${SPREADSHEET}.worksheet+xml"/>`)}</Types>`,
    '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${list((number) => `<sheet name="Sheet${number}" sheetId="${number}" r:id="rId${number}"/>`)}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships">${list((number) => `<Relationship Id="rId${number}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${number}.xml"/>`)}<Relationship Id="rId${sheets + 1}" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
  };
  for (const [path, xml] of Object.entries(parts)) zip.addBuffer(Buffer.from(XML + xml), path);
  zip.addBuffer(Buffer.from(STYLES), 'xl/styles.xml');
  zip.end();
}

/** Returns the beginning of a sheet. Its first row stays in sight. */
function startSheet(head: Cells): string {
  const view =
    '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>';
  const columns = `<cols><col min="1" max="${Math.max(head.length, 1)}" width="24" style="1" customWidth="1"/></cols>`;
  return `${XML}<worksheet xmlns="${MAIN}">${view}${columns}<sheetData>${writeRow(head, 1, 2)}`;
}

function writeRow(cells: Cells, row: number, style: number): string {
  let xml = `<row r="${row}">`;
  cells.forEach((cell, at) => {
    if (cell === null || cell === '') return;
    const text = escapeText(String(cell));
    xml += `<c r="${nameColumn(at)}${row}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`;
  });
  return `${xml}</row>`;
}

/** Tables have at most 26 columns. */
const nameColumn = (at: number) => String.fromCharCode(65 + at);

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
/** Matches what XML cannot have, and a text that Excel would read as such a character: _x000D_. */
const SPECIAL = /[&<>]|[^\P{Cc}\t\n]|[\uFFFE\uFFFF]|_(?=x[\dA-Fa-f]{4}_)/gu;

function escapeText(text: string): string {
  return text.replace(
    SPECIAL,
    (sign) => ENTITIES[sign] ?? `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
  );
}
