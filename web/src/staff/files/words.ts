// Texts about a file of rows: why it is refused (in the order of A-45), what a check found, the result.
import {
  type CsvKind,
  countCsvRecords,
  type FoundColumns,
  type ImportPreview,
  type ImportResults,
  type ImportState,
} from '@portal/contract';
import { isolate } from '../../ui/text.tsx';
import type { ToastWords } from '../../ui/toast-store.ts';
import { sayNumber } from '../../words/format.ts';
import { say, sayCount, sayServed } from '../../words/say.ts';

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
/**
 * Duration of the toasts about a large upload and about the result of an import (R-CONST-02, R-CONST-04, R-CONST-06).
 */
const BULK_TOAST_MS = 8000;

const sayNotChosen = {
  users: () => say('Please select at least one product before uploading users'),
  coupons: () => say('Please select a product before uploading coupons'),
};
const saySignedOut = {
  users: () => say('Please log in again to upload users'),
  coupons: () => say('Please log in again to upload coupons'),
};

type ChosenFile = { name: string; type: string; size: number };
/** Toast about a refused upload. `reason` is set if the file is invalid. The reason stays on the page. */
export type Refusal = ToastWords & { reason?: string | undefined };
type UploadFacts = { kind: CsvKind; hasProduct: boolean; file: ChosenFile; signedIn: boolean };

/** Checks an upload without reading the file. Returns null if it is accepted. */
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

/** Returns null if the file contains text (R-VAL-14, R-VAL-20, R-VAL-29). */
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

/** `reason` is shown both in the toast and on the page. */
export function refuseFile(title: string, reason: string): Refusal {
  return { ...refusal(title, reason), reason };
}

function refusal(title: string, description: string): ToastWords {
  return { title, description, variant: 'destructive' };
}

// Texts about a file that was checked and not imported yet (R-IMP-04).

/** A count of an upload. `part` is for a part of the count before it; `bad` shows in red if the count is not 0. */
export type CountRow = { label: string; count: number; look?: 'new' | 'part' | 'bad' | 'total' };

/** Returns the counts of the preview in their order. The first five are always shown; the others only above 0. */
export function listPreviewRows(preview: ImportPreview): CountRow[] {
  const part = (label: string, count: number): CountRow[] =>
    count > 0 ? [{ label, count, look: 'part' }] : [];
  return [
    { label: say('New'), count: preview.new, look: 'new' },
    ...part(say('of these void before, free again'), preview.was_void),
    ...part(say('of these generated by the portal'), preview.generated),
    { label: say('Duplicates'), count: preview.duplicate },
    { label: say('Twice in this file'), count: preview.in_file_twice },
    { label: say('Failed'), count: preview.invalid, look: 'bad' },
    { label: say('Rows'), count: preview.total, look: 'total' },
    ...part(say('Access granted'), preview.access_new),
    ...part(say('Join the cohort'), preview.joined),
  ];
}

export function changesAnything(preview: ImportPreview): boolean {
  return preview.new + preview.access_new + preview.joined > 0;
}

/** The label of the button that imports the checked file. */
export function sayImport(kind: CsvKind, preview: ImportPreview): string {
  const count = preview.new;
  if (kind === 'coupons')
    return sayCount(count, { one: 'Import {count} code', other: 'Import {count} codes' });
  if (kind === 'products')
    return sayCount(count, { one: 'Import {count} product', other: 'Import {count} products' });
  // People who are known already may still get products.
  if (count === 0 && changesAnything(preview))
    return sayCount(preview.duplicate, { one: 'Import {count} row', other: 'Import {count} rows' });
  return sayCount(count, { one: 'Import {count} person', other: 'Import {count} people' });
}

export function sayNothingNew(kind: CsvKind): string {
  if (kind === 'coupons') return say('Every code of this file is here already or failed.');
  if (kind === 'products') return say('Every product of this file is here already or failed.');
  return say('Everybody in this file is here already with these products, or failed.');
}

/** Returns the warnings that codes of the file stand in other products (R-IMP-06). */
export function sayElsewhere({ elsewhere }: ImportPreview): string[] {
  return elsewhere.map(({ name, count }) => {
    const product = isolate(name);
    if (count === 1)
      return say('Of the first 1,000 codes, 1 stands in {product} already. Is this the right product?', {
        product,
      });
    return say('Of the first 1,000 codes, {count} stand in {product} already. Is this the right product?', {
      count: sayNumber(count),
      product,
    });
  });
}

/** Returns the warning that codes differ from others in upper and lower case only (R-MAP-02). */
export function sayCaseOnly({ case_only }: ImportPreview): string[] {
  if (case_only === 0) return [];
  return [
    sayCount(case_only, {
      one: '{count} code differs from another only in case. Both are imported as codes of their own.',
      other: '{count} codes differ from others only in case. All are imported as codes of their own.',
    }),
  ];
}

/**
 * Returns the text that the first line of the file was taken as data (R-IMP-14). Returns null if the file has names, or
 * several columns: then staff have said which one holds what.
 */
export function sayNoNames(kind: CsvKind, found: FoundColumns | null): string | null {
  if (found === null || found.header || found.columns.length !== 1) return null;
  return kind === 'users'
    ? say('No column names found: the first line was taken as an address.')
    : say('No column names found: the first line was taken as a code.');
}

export function sayIgnored(ignored: readonly string[]): string | null {
  return ignored.length > 0 ? say('Ignored: {names}', { names: nameColumns(ignored) }) : null;
}

/** Returns the names of columns as one text. A column without a name is `column 3` in the server's words. */
export function nameColumns(names: readonly string[]): string {
  const words = names.map((name) => {
    const [, column] = /^column (\d+)$/.exec(name) ?? [];
    return column === undefined ? name : say('column {column}', { column });
  });
  return isolate(words.join(', '));
}

/** Returns null if the import does not differ from the check (R-IMP-02). */
export function sayDifference(preview: ImportPreview | null, created: number): string | null {
  if (preview === null || preview.new === created) return null;
  return say('The check said {said} new; {were} were, because the data changed in between.', {
    said: sayNumber(preview.new),
    were: sayNumber(created),
  });
}

/** Other programs may upload a file without a name. */
export function sayFile({ file_name }: Pick<ImportState, 'file_name'>): string {
  return file_name ?? say('CSV file');
}

/** If an import has more rows than this, the title of its toast says 'Bulk' (R-CONST-07). */
const BULK_USERS_ABOVE = 50;
const BULK_COUPONS_ABOVE = 100;

/**
 * Returns the toast with the result of an import (R-ERR-23 to R-ERR-29, A-47). The toast shows an error if no row was
 * created, also if all rows are duplicates. After an upload into a cohort, it shows an error if nobody of the
 * file is a member (R-COHORT-23).
 */
export function sayResults(kind: CsvKind, results: ImportResults): ToastWords {
  const { success, joined, already = 0 } = results;
  const isNothing = joined === undefined ? success === 0 : joined + already === 0;
  return {
    title: titleOf(kind, results.total),
    description: describe(kind, results),
    variant: isNothing ? 'destructive' : 'default',
    durationMs: BULK_TOAST_MS,
  };
}

function titleOf(kind: CsvKind, total: number): string {
  if (kind === 'users' && total > BULK_USERS_ABOVE) return say('Bulk User Import Complete');
  if (kind === 'coupons' && total > BULK_COUPONS_ABOVE) return say('Bulk Import Complete');
  return say('Import Complete');
}

// The specified texts have plain digits, and 'duplicates' also for one (N-119). Texts of our own have numbers as the
// language writes them.
function describe(kind: CsvKind, results: ImportResults): string {
  const { success, failures, duplicates, productAccess, total } = results;
  if (kind === 'products') {
    return say('Successfully created {success} products. Failed to create {failures} products.', {
      success,
      failures,
    });
  }
  if (results.joined !== undefined) {
    return say('{joined} joined, {already} were members, {created} new people, {failed} failed', {
      joined: sayNumber(results.joined),
      already: sayNumber(results.already ?? 0),
      created: sayNumber(success),
      failed: sayNumber(failures),
    });
  }
  if (kind === 'users') {
    return say(
      'Processed {total} records: {success} users created, {duplicates} duplicates found, {productAccess} product access granted, {failures} failed',
      { total, success, duplicates, productAccess, failures },
    );
  }
  const counts = say('{success} created, {duplicates} duplicates skipped, {failures} failed', {
    success,
    duplicates,
    failures,
  });
  return results.generated > 0 ? `${counts}. ${sayGenerated(results.generated)}` : counts;
}

/** For blank rows. */
export function sayGenerated(count: number): string {
  return sayCount(count, {
    one: '{count} code was generated by the portal. The partner does not know it yet.',
    other: '{count} codes were generated by the portal. The partner does not know them yet.',
  });
}

/** For an import that failed or was cancelled. */
export function sayEnd(state: ImportState['state'], reason: string | null): ToastWords {
  return {
    title: state === 'failed' ? say('Import Failed') : say('Import Cancelled'),
    description: state === 'failed' ? sayServed(reason ?? '') : say('Rows that were imported stay.'),
    variant: state === 'failed' ? 'destructive' : 'default',
    durationMs: BULK_TOAST_MS,
  };
}

/** Returns how far an import came that failed or was cancelled, and why it failed; null for any other import. */
export function sayStopped({ state, rows_done, rows_total, reason }: ImportState): string | null {
  const extent = { done: sayNumber(rows_done), total: sayNumber(rows_total) };
  if (state === 'cancelled')
    return say('Cancelled after {done} of {total} rows. Rows that were imported stay.', extent);
  if (state !== 'failed') return null;
  return `${say('Failed after {done} of {total} rows. Rows that were imported stay.', extent)} ${sayServed(reason ?? '')}`;
}

type Figure = { label: string; count: number; bad?: true };

export function tallyOf(kind: CsvKind, results: ImportResults): Figure[] {
  const created = { label: say('Created'), count: results.success };
  const failed: Figure = { label: say('Failed'), count: results.failures, bad: true };
  const skipped = { label: say('Duplicates skipped'), count: results.duplicates };
  if (kind === 'products') return skipped.count > 0 ? [created, skipped, failed] : [created, failed];
  if (kind === 'coupons') return [created, skipped, failed];
  if (results.joined !== undefined) {
    return [
      { label: say('Joined'), count: results.joined },
      { label: say('Members before'), count: results.already ?? 0 },
      { label: say('New people'), count: results.success },
      failed,
    ];
  }
  return [
    created,
    { label: say('Duplicates'), count: results.duplicates },
    { label: say('Access granted'), count: results.productAccess },
    failed,
  ];
}
