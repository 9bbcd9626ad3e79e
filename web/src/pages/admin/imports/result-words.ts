// What is said when an import has ended.
import type { CsvKind, ImportResults } from '@portal/contract';
import type { ToastWords } from '../../../ui/toast-store.ts';
import { BULK_TOAST_MS } from './upload-checks.ts';

/** R-CONST-07: above so many rows an import is called a bulk import. */
const BULK_USERS_ABOVE = 50;
const BULK_COUPONS_ABOVE = 100;

/** The one toast that sums an import up; destructive when nothing came of it (R-ERR-23 to R-ERR-29, A-47). */
export function sayResults(kind: CsvKind, results: ImportResults): ToastWords {
  return {
    title: titleOf(kind, results.total),
    description: describe(kind, results),
    variant: results.success === 0 ? 'destructive' : 'default',
    durationMs: BULK_TOAST_MS,
  };
}

function titleOf(kind: CsvKind, total: number): string {
  if (kind === 'users' && total > BULK_USERS_ABOVE) return 'Bulk User Import Complete';
  if (kind === 'coupons' && total > BULK_COUPONS_ABOVE) return 'Bulk Import Complete';
  return 'Import Complete';
}

function describe(kind: CsvKind, results: ImportResults): string {
  const { success, failures, duplicates, productAccess, total } = results;
  if (kind === 'products') {
    return `Successfully created ${success} products. Failed to create ${failures} products.`;
  }
  if (kind === 'users') {
    return `Processed ${total} records: ${success} users created, ${duplicates} duplicates found, ${productAccess} product access granted, ${failures} failed`;
  }
  return `${success} created, ${duplicates} duplicates skipped, ${failures} failed`;
}

/** The figures of an import, in the words of its summary. */
export function tallyOf(kind: CsvKind, results: ImportResults): { label: string; count: number }[] {
  const created = { label: 'Created', count: results.success };
  const failed = { label: 'Failed', count: results.failures };
  if (kind === 'products') return [created, failed];
  if (kind === 'coupons') {
    return [created, { label: 'Duplicates skipped', count: results.duplicates }, failed];
  }
  return [
    created,
    { label: 'Duplicates', count: results.duplicates },
    { label: 'Access granted', count: results.productAccess },
    failed,
  ];
}
