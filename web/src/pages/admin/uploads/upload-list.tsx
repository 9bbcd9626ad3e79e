// The list of the files of codes of 90 days with their states, newest first (N-104, R-LIFE-33).
import type { ImportState } from '@portal/contract';
import { listImports } from '@portal/contract';
import { useMemo } from 'react';
import { Link, useLocation } from 'wouter';
import type { Column } from '../../../ui/columns.ts';
import { say } from '../../../words/say.ts';
import admin from '../admin.module.css';
import { CODES_PATH, UPLOADS_PATH } from '../coupons/list-coupon-tabs.ts';
import { openUpload } from '../imports/open-upload.ts';
import { listUploadColumns } from '../imports/upload-columns.tsx';
import { useList, useListState } from '../lists/use-list.ts';
import { listProductColumn } from '../products/product-column.tsx';
import { useProductNames } from '../use-product-names.ts';
import { UPLOAD_FILTERS, UploadsFrame } from './uploads-frame.tsx';

/** An upload whose codes have a page leads there. Any other upload is shown on the page Codes. */
function linkTo({ batch_id, state }: ImportState): string | null {
  return batch_id === null || state === 'running' ? null : `${UPLOADS_PATH}/${batch_id}`;
}

function listFileColumns(
  names: Map<string, string>,
  open: (row: ImportState) => void,
): Column<ImportState>[] {
  const [file, ...others] = listUploadColumns(open, (row, { text, full }) => {
    const href = linkTo(row);
    return href === null ? undefined : (
      <Link href={href} className={admin.rowLink} dir="auto" aria-label={full}>
        {text}
      </Link>
    );
  });
  return file ? [file, listProductColumn(names), ...others] : [];
}

export function UploadList() {
  const [, navigate] = useLocation();
  const list = useListState(UPLOAD_FILTERS);
  const { query, page } = useList(listImports, {
    ...list,
    state: { ...list.state, filters: { ...list.state.filters, kind: 'coupons' } },
  });
  const { names, isPending } = useProductNames(page.rows);
  const columns = useMemo(
    () =>
      listFileColumns(names, (row) => {
        void openUpload(row);
        navigate(CODES_PATH);
      }),
    [names, navigate],
  );
  return (
    <UploadsFrame
      sub={say(
        'Files of codes of the last 90 days, newest first. Open one to void what is unused or to set its last day.',
      )}
      list={list}
      query={query}
      of={['imports', 'products']}
      page={page}
      columns={columns}
      lacksNames={isPending}
    />
  );
}
