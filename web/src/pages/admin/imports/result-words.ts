// What is said when an import has ended.
import type { CsvKind, ImportResults, ImportState } from '@portal/contract';
import type { ToastWords } from '../../../ui/toast-store.ts';
import { sayNumber } from '../../../words/figures.ts';
import { say, sayCount, sayServed } from '../../../words/say.ts';
import { BULK_TOAST_MS } from './upload-checks.ts';

/** R-CONST-07: above so many rows an import is called a bulk import. */
const BULK_USERS_ABOVE = 50;
const BULK_COUPONS_ABOVE = 100;

/**
 * The one toast that sums an import up (R-ERR-23 to R-ERR-29, A-47). Destructive when nothing was created, unless all that
 * the file holds is there already.
 */
export function sayResults(kind: CsvKind, results: ImportResults): ToastWords {
  const { success, failures, duplicates } = results;
  const isKnown = duplicates > 0 && failures === 0;
  return {
    title: titleOf(kind, results.total),
    description: describe(kind, results),
    variant: success === 0 && !isKnown ? 'destructive' : 'default',
    durationMs: BULK_TOAST_MS,
  };
}

function titleOf(kind: CsvKind, total: number): string {
  if (kind === 'users' && total > BULK_USERS_ABOVE) return say('Bulk User Import Complete');
  if (kind === 'coupons' && total > BULK_COUPONS_ABOVE) return say('Bulk Import Complete');
  return say('Import Complete');
}

function describe(kind: CsvKind, results: ImportResults): string {
  const [success, failures] = [sayNumber(results.success), sayNumber(results.failures)];
  if (kind === 'products') {
    return say('Successfully created {success} products. Failed to create {failures} products.', {
      success,
      failures,
    });
  }
  const duplicates = sayCount(results.duplicates, { one: '{count} duplicate', other: '{count} duplicates' });
  if (kind === 'users') {
    return say(
      'Processed {total} records: {success} users created, {duplicates} found, {productAccess} product access granted, {failures} failed',
      {
        total: sayNumber(results.total),
        success,
        duplicates,
        productAccess: sayNumber(results.productAccess),
        failures,
      },
    );
  }
  return say('{success} created, {duplicates} skipped, {failures} failed', {
    success,
    duplicates,
    failures,
  });
}

/** The toast of an import that did not come to its end. */
export function sayEnd(state: ImportState['state'], reason: string | null): ToastWords {
  return {
    title: state === 'failed' ? say('Import Failed') : say('Import Cancelled'),
    description: state === 'failed' ? sayServed(reason ?? '') : say('Rows that were imported stay.'),
    variant: state === 'failed' ? 'destructive' : 'default',
    durationMs: BULK_TOAST_MS,
  };
}

type Figure = { label: string; count: number; bad?: true };

/** The figures of an import, in the words of its summary. */
export function tallyOf(kind: CsvKind, results: ImportResults): Figure[] {
  const created = { label: say('Created'), count: results.success };
  const failed: Figure = { label: say('Failed'), count: results.failures, bad: true };
  const skipped = { label: say('Duplicates skipped'), count: results.duplicates };
  if (kind === 'products') return skipped.count > 0 ? [created, skipped, failed] : [created, failed];
  if (kind === 'coupons') return [created, skipped, failed];
  return [
    created,
    { label: say('Duplicates'), count: results.duplicates },
    { label: say('Access granted'), count: results.productAccess },
    failed,
  ];
}
