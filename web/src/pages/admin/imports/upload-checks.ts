// What an upload is refused for before anything is sent, in the order of A-45.
import { type CsvKind, countCsvRecords } from '@portal/contract';
import type { ToastWords } from '../../../ui/toast-store.ts';
import { sayNumber } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';

/** Larger uploads are refused by the server, which may end the connection before it can say so. */
export const UPLOAD_LIMIT_BYTES = 64_000_000;

/** R-CONST-01, R-CONST-03: from how many records on an upload is announced as large. */
const LARGE_FROM = { products: Number.POSITIVE_INFINITY, users: 100, coupons: 1000 };
/** R-CONST-02, R-CONST-04, R-CONST-06. */
export const BULK_TOAST_MS = 8000;

const sayNotChosen = {
  users: () => say('Please select at least one product before uploading users'),
  coupons: () => say('Please select a product before uploading coupons'),
};
const saySignedOut = {
  users: () => say('Please log in again to upload users'),
  coupons: () => say('Please log in again to upload coupons'),
};

export type ChosenFile = { name: string; type: string; size: number };
/** What is told, and, when the file itself is at fault, the reason that stays beside its name. */
export type Refusal = ToastWords & { reason?: string | undefined };
export type UploadFacts = { kind: CsvKind; hasProduct: boolean; file: ChosenFile; signedIn: boolean };

/** Why this upload cannot be made, from what is known without reading the file; null when it can. */
export function refuseUpload({ kind, hasProduct, file, signedIn }: UploadFacts): Refusal | null {
  if (kind !== 'products' && !hasProduct) {
    return refusal(say('Missing required field'), sayNotChosen[kind]());
  }
  if (!isCsv(file)) {
    return {
      ...refusal(say('Invalid file type'), say('Please upload a CSV file')),
      reason: say('This is not a CSV file. Save it as CSV in your spreadsheet program and choose it again.'),
    };
  }
  if (!signedIn && kind !== 'products') return signedOut(kind);
  if (file.size > UPLOAD_LIMIT_BYTES) {
    const size = sayNumber(Math.ceil(file.size / 1_000_000));
    return refuseFile(
      say('File too large'),
      say('The file is {size} MB; 64 MB is the most. Cut it in two.', { size }),
    );
  }
  return null;
}

/** What is said to who uploads without a session (R-VAL-22, R-VAL-31). */
export function signedOut(kind: 'users' | 'coupons'): ToastWords {
  return refusal(say('Authentication Required'), saySignedOut[kind]());
}

/** R-VAL-14, R-VAL-20, R-VAL-29: why the text of a file cannot be imported. */
export function refuseText(text: string): Refusal | null {
  return text.trim() === '' ? refuseFile(say('Empty file'), say('The CSV file appears to be empty')) : null;
}

/** The notice that a large upload begins with; null for smaller ones (R-CONST-01 to R-CONST-05). */
export function announceLarge(kind: CsvKind, text: string): ToastWords | null {
  const records = countCsvRecords(text);
  if (records <= LARGE_FROM[kind]) return null;
  return {
    title: say('Processing Large Upload'),
    description: say('Your file has {count} records. This can take a minute.', { count: sayNumber(records) }),
    durationMs: BULK_TOAST_MS,
  };
}

/** CSV by type or by name (R-VAL-12, R-VAL-13). Excel's type alone would let its own files through. */
function isCsv({ name, type }: ChosenFile): boolean {
  return name.toLowerCase().endsWith('.csv') || type === 'text/csv' || type === 'application/csv';
}

/** What is told of a file that cannot be imported, for this reason. */
export function refuseFile(title: string, reason: string): Refusal {
  return { ...refusal(title, reason), reason };
}

function refusal(title: string, description: string): ToastWords {
  return { title, description, variant: 'destructive' };
}
