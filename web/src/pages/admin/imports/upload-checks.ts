// Checks an upload before it is sent. The checks run in the order of A-45.
import { type CsvKind, countCsvRecords } from '@portal/contract';
import type { ToastWords } from '../../../ui/toast-store.ts';
import { sayNumber } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';

/**
 * Size limit of the server. The browser checks this limit too, because the server may close the connection before the
 * browser has received the error message.
 */
export const UPLOAD_LIMIT_BYTES = 64_000_000;

/**
 * If an upload has more records than this, a toast says that the upload is large (R-CONST-01, R-CONST-03). For
 * products, this toast is never shown.
 */
const LARGE_FROM = { products: Number.POSITIVE_INFINITY, users: 100, coupons: 1000 };
/** Duration of the toasts about a large upload and about the result of an import (R-CONST-02, R-CONST-04, R-CONST-06). */
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
/**
 * Toast about a refused upload. `reason` is set if the file is invalid. The reason stays on the page, next to the name
 * of the file.
 */
export type Refusal = ToastWords & { reason?: string | undefined };
export type UploadFacts = { kind: CsvKind; hasProduct: boolean; file: ChosenFile; signedIn: boolean };

/**
 * Checks an upload without reading the file. Returns the toast that says why the upload is refused, or null if it is
 * accepted.
 */
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

/** Returns the toast for an upload that is refused because the session has ended (R-VAL-22, R-VAL-31). */
export function signedOut(kind: 'users' | 'coupons'): ToastWords {
  return refusal(say('Authentication Required'), saySignedOut[kind]());
}

/**
 * Returns the refusal if the file contains no text, or null if the file contains text (R-VAL-14, R-VAL-20, R-VAL-29).
 */
export function refuseText(text: string): Refusal | null {
  return text.trim() === '' ? refuseFile(say('Empty file'), say('The CSV file appears to be empty')) : null;
}

/** Returns the toast for the start of a large upload, or null if the upload is not large (R-CONST-01 to R-CONST-05). */
export function announceLarge(kind: CsvKind, text: string): ToastWords | null {
  const records = countCsvRecords(text);
  if (records <= LARGE_FROM[kind]) return null;
  return {
    title: say('Processing Large Upload'),
    description: say('Your file has {count} records. This can take a minute.', { count: sayNumber(records) }),
    durationMs: BULK_TOAST_MS,
  };
}

/**
 * Returns true if the file has the MIME type or the extension of CSV (R-VAL-12, R-VAL-13). Some systems report the MIME
 * type of Excel for CSV files. This type alone is not accepted, because Excel workbooks have it too.
 */
function isCsv({ name, type }: ChosenFile): boolean {
  return name.toLowerCase().endsWith('.csv') || type === 'text/csv' || type === 'application/csv';
}

/** Returns the refusal of an invalid file. `reason` is shown both in the toast and on the page. */
export function refuseFile(title: string, reason: string): Refusal {
  return { ...refusal(title, reason), reason };
}

function refusal(title: string, description: string): ToastWords {
  return { title, description, variant: 'destructive' };
}
