// Card that lists the uploads of one kind of 90 days, newest first. A row opens its upload (R-IMP-16).
import type { CsvKind, ImportState } from '@portal/contract';
import { listImports } from '@portal/contract';
import { useMemo, useState } from 'react';
import { Card } from '../../../ui/card.tsx';
import { say } from '../../../words/say.ts';
import type { ListState } from '../lists/list-address.ts';
import { ShortList } from '../lists/short-list.tsx';
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
  const [state, show] = useState<ListState>({ q: '', filters: { kind }, cursors: [] });
  const { query, page } = useList(listImports, { state, show }, ROWS);
  const columns = useMemo(() => listUploadColumns((row: ImportState) => void openUpload(row)), []);
  const words = {
    caption: say('Recent uploads'),
    loading: say('Loading uploads...'),
    notLoaded: say('We could not load the uploads.'),
    empty: say('No file was uploaded yet.'),
  };
  return <ShortList words={words} query={query} page={page} columns={columns} />;
}
