// The list of uploads of codes (R-LIFE-33). Roles that may not read imports get the uploads without their states.
import type { Batch } from '@portal/contract';
import { getImport, listBatches } from '@portal/contract';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { type Column, cutWords } from '../../../ui/columns.ts';
import { sayNumber } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import admin from '../admin.module.css';
import { AdminFrame } from '../admin-frame.tsx';
import { listCouponTabs, UPLOADS_PATH } from '../coupons/list-coupon-tabs.ts';
import { useList, useListState } from '../lists/use-list.ts';
import { listByColumn } from '../people/by-column.tsx';
import { listProductColumn } from '../products/product-column.tsx';
import { RoleGate } from '../role-gate.tsx';
import { useProductNames } from '../use-product-names.ts';
import { UploadList } from './upload-list.tsx';
import { fileNameOf, sayDayOf } from './upload-words.ts';
import { UPLOAD_FILTERS, UploadsFrame } from './uploads-frame.tsx';

function listBatchColumns(names: Map<string, string>): Column<Batch>[] {
  return [
    {
      label: say('File'),
      as: 'strong',
      words: (batch) => cutWords(fileNameOf(batch), 60),
      draw: ({ id }, { text, full }) => (
        <Link href={`${UPLOADS_PATH}/${id}`} className={admin.rowLink} dir="auto" aria-label={full}>
          {text}
        </Link>
      ),
    },
    listProductColumn(names),
    { label: say('Day'), as: 'line', words: ({ created_at }) => ({ text: sayDayOf(created_at) }) },
    listByColumn(),
    { label: say('Codes'), as: 'end', right: true, words: ({ codes }) => ({ text: sayNumber(codes) }) },
  ];
}

export function UploadsPage() {
  return (
    <AdminFrame title={say('Coupons')} tabTitle={say('Uploads')} subTabs={listCouponTabs()}>
      <RoleGate to={getImport} otherwise={<UploadsTable />}>
        <UploadList />
      </RoleGate>
    </AdminFrame>
  );
}

function UploadsTable() {
  const list = useListState(UPLOAD_FILTERS);
  const { query, page } = useList(listBatches, list);
  const { names, isPending } = useProductNames(page.rows);
  const columns = useMemo(() => listBatchColumns(names), [names]);
  return (
    <UploadsFrame
      sub={say('Files of codes, newest first.')}
      list={list}
      query={query}
      of={['coupons', 'products']}
      page={page}
      columns={columns}
      lacksNames={isPending}
    />
  );
}
