// Card that lists the uploads of one kind of 90 days, newest first. A row opens its upload (R-IMP-16).
import type { CsvKind, ImportState } from '@portal/contract';
import { useMemo, useState } from 'react';
import { listImports } from '../../../admin-calls.ts';
import { LoadError } from '../../../parts/load-error.tsx';
import { Card } from '../../../ui/card.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import { DataTable } from '../../../ui/data-table.tsx';
import { NoRows } from '../../../ui/no-rows.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { RowsLoading } from '../../../ui/rows-loading.tsx';
import { StatusLine } from '../../../ui/status-line.tsx';
import { say } from '../../../words/say.ts';
import type { ListState } from '../lists/list-address.ts';
import { useList } from '../lists/use-list.ts';
import { openUpload } from './open-upload.ts';
import { listUploadColumns } from './upload-columns.tsx';

const ROWS = 5;

export function RecentUploads({ kind }: { kind: CsvKind }) {
  return (
    <Card title={say('Recent uploads')} sub={say('Files of the last 90 days, newest first.')}>
      <Uploads kind={kind} />
    </Card>
  );
}

function Uploads({ kind }: { kind: CsvKind }) {
  // The page of this list is kept in React state: the URL belongs to the list of the page.
  const [state, show] = useState<ListState>({ q: '', filters: { kind }, cursors: [] });
  const { query, page } = useList(listImports, { state, show }, ROWS);
  const { rows, toNext, toPrevious, ...figures } = page;
  const columns = useMemo(() => listUploadColumns((row: ImportState) => void openUpload(row)), []);
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
        <p>{say('No file was uploaded yet.')}</p>
      </NoRows>
    );
  }
  return (
    <>
      <DataTable
        caption={say('Recent uploads')}
        columns={columns}
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
