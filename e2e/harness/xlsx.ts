// Builds workbooks of Excel for the tests.
import { strToU8, zipSync } from 'fflate';

/** A number is stored as such, in the format 00000. */
export type SheetRow = (string | number)[];

const RELS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Returns a file for the file dialog. `sheets` has the rows by the name of their sheet. */
export function xlsx(name: string, sheets: Record<string, SheetRow[]>) {
  const names = Object.keys(sheets);
  const parts: Record<string, string> = {
    '_rels/.rels': `<Relationships><Relationship Id="r" Type="${RELS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns:r="${RELS}"><sheets>${names.map((each, at) => `<sheet name="${escapeXml(each)}" r:id="r${at}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="s" Type="${RELS}/styles" Target="styles.xml"/>${names.map((_each, at) => `<Relationship Id="r${at}" Type="${RELS}/worksheet" Target="worksheets/sheet${at}.xml"/>`).join('')}</Relationships>`,
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="00000"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>',
  };
  names.forEach((each, at) => {
    parts[`xl/worksheets/sheet${at}.xml`] = writeSheet(sheets[each] ?? []);
  });
  const zip = zipSync(Object.fromEntries(Object.entries(parts).map(([path, text]) => [path, strToU8(text)])));
  const mimeType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
  return { name, mimeType, buffer: Buffer.from(zip) };
}

function writeSheet(rows: SheetRow[]): string {
  const cells = (row: SheetRow) =>
    row.map((cell) =>
      typeof cell === 'number'
        ? `<c s="1"><v>${cell}</v></c>`
        : `<c t="inlineStr"><is><t xml:space="preserve">${escapeXml(cell)}</t></is></c>`,
    );
  return `<worksheet><sheetData>${rows.map((row) => `<row>${cells(row).join('')}</row>`).join('')}</sheetData></worksheet>`;
}
