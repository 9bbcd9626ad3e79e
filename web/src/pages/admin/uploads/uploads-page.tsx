// The list of uploads of codes (R-LIFE-33). Roles that may not read imports get the uploads without their states.
import type { Batch } from '@portal/contract';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { getImport, importCoupons, listBatches } from '../../../admin-calls.ts';
import { Card } from '../../../ui/card.tsx';
import { type Column, cutWords } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { FilterSelect } from '../../../ui/filter-select.tsx';
import { sayNumber } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import admin from '../admin.module.css';
import { AdminFrame } from '../admin-frame.tsx';
import { listCouponTabs, UPLOADS_PATH } from '../coupons/list-coupon-tabs.ts';
import { AsOf } from '../lists/as-of.tsx';
import { ListBody } from '../lists/list-body.tsx';
import { uploadListWords } from '../lists/list-words.ts';
import { useList, useListState } from '../lists/use-list.ts';
import { RoleGate, useMay } from '../role-gate.tsx';
import { useProductNames } from '../use-product-names.ts';
import { useProducts } from '../use-products.ts';
import { UploadList } from './upload-list.tsx';
import { fileNameOf, sayDayOf } from './upload-words.ts';

function columnsWith(names: Map<string, string>): Column<Batch>[] {
  return [
    {
      label: say('File'),
      as: 'strong',
      words: (batch) => cutWords(fileNameOf(batch), 60),
      draw: ({ id }, { text, full }) => (
        <Link href={`${UPLOADS_PATH}/${id}`} className={admin.rowLink} aria-label={full}>
          {text}
        </Link>
      ),
    },
    {
      label: say('Product'),
      as: 'line',
      words: ({ product_id }) => cutWords(names.get(product_id) ?? '-', 30),
    },
    { label: say('Day'), as: 'line', words: ({ created_at }) => ({ text: sayDayOf(created_at) }) },
    {
      label: say('By'),
      as: 'line',
      words: ({ created_by }) => cutWords(created_by, 40),
      awayOnTablets: true,
    },
    { label: say('Codes'), as: 'end', right: true, words: ({ codes }) => ({ text: sayNumber(codes) }) },
  ];
}

const FILTERS = ['product_id'];

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
  const may = useMay();
  const list = useListState(FILTERS);
  const { query, page } = useList(listBatches, list);
  const products = useProducts();
  const { names, isPending } = useProductNames(page.rows);
  const columns = useMemo(() => columnsWith(names), [names]);
  return (
    <Card
      title={say('Uploads')}
      sub={say('Files of codes, newest first.')}
      action={<AsOf query={query} of={['coupons', 'products']} />}
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
