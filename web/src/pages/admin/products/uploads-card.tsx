// Lists the uploads of codes for a product, newest first. Each row links to the page of the upload (R-LIFE-31).
import type { Batch } from '@portal/contract';
import { useState } from 'react';
import { Link } from 'wouter';
import { listBatches } from '../../../admin-calls.ts';
import { LoadError } from '../../../parts/load-error.tsx';
import { Card } from '../../../ui/card.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import { type Column, cutWords } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { NoRows } from '../../../ui/no-rows.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { RowsLoading } from '../../../ui/rows-loading.tsx';
import { StatusLine } from '../../../ui/status-line.tsx';
import { sayDate, sayNumber } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import admin from '../admin.module.css';
import type { ListState } from '../lists/list-address.ts';
import { useList } from '../lists/use-list.ts';

const DATE: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', year: 'numeric' };

const listColumns = (): Column<Batch>[] => [
  {
    label: say('File'),
    as: 'strong',
    words: ({ file_name }) => cutWords(file_name ?? say('No file name'), 60),
    draw: ({ id }, { text }) => (
      <Link href={`/admin/coupons/uploads/${id}`} className={admin.rowLink}>
        {text}
      </Link>
    ),
  },
  {
    label: say('Day'),
    as: 'line',
    words: ({ created_at }) => ({ text: sayDate(new Date(created_at), DATE) }),
  },
  {
    label: say('By'),
    as: 'line',
    words: ({ created_by }) => cutWords(created_by, 40),
    awayOnTablets: true,
  },
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
  // The page of this list is kept in React state, not in the URL as in other lists. So paging adds no history entries,
  // and the Back button leaves the product page.
  const [state, show] = useState<ListState>({ q: '', filters: { product_id }, cursors: [] });
  const { query, page } = useList(listBatches, { state, show });
  const { rows, toNext, toPrevious, ...figures } = page;
  if (query.isPending) {
    return (
      <RowsLoading>
        <StatusLine>{say('Loading uploads...')}</StatusLine>
      </RowsLoading>
    );
  }
  if (query.isError) {
    return (
      <CardBody>
        <LoadError words={say('We could not load the uploads.')} onRetry={() => void query.refetch()} />
      </CardBody>
    );
  }
  if (rows.length === 0) {
    return (
      <NoRows>
        <p>{say('No codes were uploaded for this product yet.')}</p>
      </NoRows>
    );
  }
  return (
    <>
      <DataTable
        caption={say('Uploads of this product')}
        columns={listColumns()}
        rows={rows}
        keyOf={({ id }) => id}
        busy={query.isPlaceholderData}
      />
      {(toNext || toPrevious) && (
        <Pager {...figures} shown={rows.length} onPrevious={toPrevious} onNext={toNext} />
      )}
    </>
  );
}
