// Lists the uploads of codes for a product, newest first. Each row links to the page of the upload (R-LIFE-31).
import type { Batch } from '@portal/contract';
import { listBatches } from '@portal/contract';
import { useState } from 'react';
import { Link } from 'wouter';
import { Card } from '../../../ui/card.tsx';
import { type Column, cutWords } from '../../../ui/columns.ts';
import { sayDate, sayNumber } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import admin from '../admin.module.css';
import type { ListState } from '../lists/list-address.ts';
import { ShortList } from '../lists/short-list.tsx';
import { useList } from '../lists/use-list.ts';
import { listByColumn } from '../people/by-column.tsx';

const DATE: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', year: 'numeric' };

const listColumns = (): Column<Batch>[] => [
  {
    label: say('File'),
    as: 'strong',
    words: ({ file_name }) => cutWords(file_name ?? say('No file name'), 60),
    draw: ({ id }, { text }) => (
      <Link href={`/admin/coupons/uploads/${id}`} className={admin.rowLink} dir="auto">
        {text}
      </Link>
    ),
  },
  {
    label: say('Day'),
    as: 'line',
    words: ({ created_at }) => ({ text: sayDate(new Date(created_at), DATE) }),
  },
  listByColumn(),
  { label: say('Codes'), as: 'end', right: true, words: ({ codes }) => ({ text: sayNumber(codes) }) },
];

export function UploadsCard({ productId }: { productId: string }) {
  return (
    <Card title={say('Uploads of this product')}>
      <Uploads productId={productId} />
    </Card>
  );
}

function Uploads({ productId: product_id }: { productId: string }) {
  // Paging adds no history entries, so the Back button leaves the product page.
  const [state, show] = useState<ListState>({ q: '', filters: { product_id }, cursors: [] });
  const { query, page } = useList(listBatches, { state, show });
  const words = {
    caption: say('Uploads of this product'),
    loading: say('Loading uploads...'),
    notLoaded: say('We could not load the uploads.'),
    empty: say('No codes were uploaded for this product yet.'),
  };
  return <ShortList words={words} query={query} page={page} columns={listColumns()} />;
}
