// CSV files: the columns of each kind, their samples, and how a file's bytes become text.

/** What can be imported, with the columns that its file must and may have, in any order and case. */
export const csvKinds = {
  products: {
    required: ['name', 'description', 'url'],
    optional: ['page_title', 'header_text', 'instructions', 'shared_coupon'],
    sample: {
      name: 'products_template.csv',
      text: [
        'name,description,url,page_title,header_text,instructions,shared_coupon',
        'Sample Tool,"A writing tool, twelve months",https://tool.example/redeem,Sample Tool offer,For the autumn cohort,"Open https://tool.example\nPaste your code",false',
        'Another Tool,Clear speech from text,tool2.example/codes,,,,true',
        '',
      ].join('\r\n'),
    },
  },
  users: {
    required: ['email', 'name'],
    optional: ['phone_number', 'payment_id'],
    sample: {
      name: 'users_template.csv',
      text: [
        'email,name,phone_number,payment_id',
        'sample.learner@example.org,Sample Learner,+44 20 7946 0000,',
        'another.learner@example.org,Another Learner,,PAY-1001',
        '',
      ].join('\r\n'),
    },
  },
  coupons: {
    required: ['coupon_code'],
    optional: [],
    sample: { name: 'coupons_template.csv', text: 'coupon_code\r\nSAMPLE-CODE-1\r\nSAMPLE-CODE-2\r\n' },
  },
} as const;

export type CsvKind = keyof typeof csvKinds;

/** The text of a CSV file as spreadsheets write them: UTF-8 or UTF-16 by its mark, else UTF-8, else Windows-1252. */
export function decodeCsv(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** Records of a file as the upload notice counts them: non-empty lines minus the header (R-CONST-05). */
export function countCsvRecords(text: string): number {
  // One line after the other: a list of a million of them would weigh more than the file.
  const restOfLine = /\S[^\r\n]*/g;
  let lines = 0;
  while (restOfLine.test(text)) lines += 1;
  return Math.max(lines - 1, 0);
}

// What a spreadsheet runs as a formula, behind any apostrophes: so that those are authenticated too that look authenticated already.
const FORMULA = /^'*(?:[=+@\t\r]|-.*[^\p{L}\p{N}-])/su;

/** One line of CSV. A cell that a spreadsheet would run as a formula gets an apostrophe in front and stays text. */
export function writeCsvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map((value) => writeCell(String(value ?? ''))).join(',')}\r\n`;
}

function writeCell(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** A cell as it was before `writeCsvLine` authenticated it; others are returned as they are. */
export function unguardCell(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;
}
