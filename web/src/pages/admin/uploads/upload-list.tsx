// The list of the files of codes of 90 days with their states, newest first (N-104, R-LIFE-33).
import type { ImportState } from '@portal/contract';
import { useMemo } from 'react';
import { Link, useLocation } from 'wouter';
import { importCoupons, listImports } from '../../../admin-calls.ts';
import { Card } from '../../../ui/card.tsx';
import { type Column, cutWords } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { FilterSelect } from '../../../ui/filter-select.tsx';
import { say } from '../../../words/say.ts';
import admin from '../admin.module.css';
import { CODES_PATH, UPLOADS_PATH } from '../coupons/list-coupon-tabs.ts';
import { openUpload } from '../imports/open-upload.ts';
import { listUploadColumns } from '../imports/upload-columns.tsx';
import { AsOf } from '../lists/as-of.tsx';
import { ListBody } from '../lists/list-body.tsx';
import { uploadListWords } from '../lists/list-words.ts';
import { useList, useListState } from '../lists/use-list.ts';
import { useMay } from '../role-gate.tsx';
import { useProductNames } from '../use-product-names.ts';
import { useProducts } from '../use-products.ts';

/** Name of the id of an import in the URL of the page of its codes. */
export const IMPORT = 'import';
const FILTERS = ['product_id'];

/** An upload whose codes have a page leads there. Any other upload is shown on the page Codes. */
function linkTo(row: ImportState): string | null {
  const { batch_id, state, id } = row;
  if (batch_id === null || state === 'running') return null;
  return `${UPLOADS_PATH}/${batch_id}?${new URLSearchParams({ [IMPORT]: id })}`;
}

function columnsWith(names: Map<string, string>, open: (row: ImportState) => void): Column<ImportState>[] {
  const [file, ...others] = listUploadColumns(open, (row, { text, full }) => {
    const href = linkTo(row);
    return href === null ? undefined : (
      <Link href={href} className={admin.rowLink} aria-label={full}>
        {text}
      </Link>
    );
  });
  const product: Column<ImportState> = {
    label: say('Product'),
    as: 'line',
    words: ({ product_id }) => cutWords(names.get(product_id ?? '') ?? '-', 30),
  };
  return file ? [file, product, ...others] : [];
}

export function UploadList() {
  const may = useMay();
  const [, navigate] = useLocation();
  const list = useListState(FILTERS);
  const { query, page } = useList(listImports, {
    ...list,
    state: { ...list.state, filters: { ...list.state.filters, kind: 'coupons' } },
  });
  const products = useProducts();
  const { names, isPending } = useProductNames(page.rows);
  const columns = useMemo(
    () =>
      columnsWith(names, (row) => {
        void openUpload(row);
        navigate(CODES_PATH);
      }),
    [names, navigate],
  );
  return (
    <Card
      title={say('Uploads')}
      sub={say(
        'Files of codes of the last 90 days, newest first. Open one to void what is unused or to set its last day.',
      )}
      action={<AsOf query={query} of={['imports', 'products']} />}
    >
      <ListBody
        words={uploadListWords(may(importCoupons))}
        list={list}
        query={{ isPending: query.isPending || isPending, isError: query.isError, refetch: query.refetch }}
        page={page}
        filters={
          <FilterSelect
            label={say('Only uploads of')}
            value={list.state.filters.product_id ?? ''}
            options={[{ value: '', label: say('All products') }, ...products.options]}
            onChange={(value) => list.filter('product_id', value)}
          />
        }
      >
        <DataTable
          caption={say('Uploads')}
          columns={columns}
          rows={page.rows}
          keyOf={({ id }) => id}
          busy={query.isPlaceholderData}
        />
      </ListBody>
    </Card>
  );
}
