// The pages about uploads of codes: the list, and one upload.
import {
  type Batch,
  getImport,
  type ImportState,
  importCoupons,
  listBatches,
  listImports,
} from '@portal/contract';
import { useMemo } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { FilterSelect } from '../../ui/choice.tsx';
import { type Column, cutWords, ROW_LINK } from '../../ui/table.tsx';
import { sayDay, sayNumber } from '../../words/format.ts';
import { say } from '../../words/say.ts';
import { openUpload } from '../files/follow.ts';
import { listUploadColumns } from '../files/recent.tsx';
import { AdminFrame, listCouponTabs, NothingHerePage } from '../frame.tsx';
import { ListCard, useList, useListState } from '../list.tsx';
import { CODES_PATH, UPLOADS_PATH } from '../nouns/code.tsx';
import { listByColumn } from '../nouns/person.tsx';
import { listProductColumn, useProductNames, useProducts } from '../nouns/product.tsx';
import { fileNameOf } from '../nouns/upload.ts';
import { RoleGate, useMay } from '../role.tsx';
import { UploadPage } from './upload.tsx';

export function Uploads() {
  const { id } = useParams<{ id?: string }>();
  return (
    <RoleGate
      to={listBatches}
      otherwise={<NothingHerePage title={say('Coupons')} tabTitle={say('Uploads')} />}
    >
      {/* If the URL changes to another upload, the new `key` makes React create a new page. So input for the previous
      upload is discarded. */}
      {id ? <UploadPage key={id} id={id} /> : <UploadsPage />}
    </RoleGate>
  );
}

// The list of uploads of codes (R-LIFE-33). Roles that may not read imports get the uploads without their states.
function listBatchColumns(names: Map<string, string>): Column<Batch>[] {
  return [
    {
      label: say('File'),
      as: 'strong',
      words: (batch) => cutWords(fileNameOf(batch), 60),
      draw: ({ id }, { text, full }) => (
        <Link href={`${UPLOADS_PATH}/${id}`} className={ROW_LINK} dir="auto" aria-label={full}>
          {text}
        </Link>
      ),
    },
    listProductColumn(names),
    { label: say('Day'), as: 'line', words: ({ created_at }) => ({ text: sayDay(created_at) }) },
    listByColumn(),
    { label: say('Codes'), as: 'end', right: true, words: ({ codes }) => ({ text: sayNumber(codes) }) },
  ];
}

function UploadsPage() {
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
    <UploadsCard
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

// The card with all uploads of codes, by product. Its rows depend on the role of the user.

const UPLOAD_FILTERS = ['product_id'];

type UploadsCardProps<Row> = Omit<
  Parameters<typeof ListCard<Row>>[0],
  'title' | 'words' | 'filters' | 'table'
> & {
  columns: Column<Row>[];
};

function UploadsCard<Row extends { id: string }>({ columns, ...props }: UploadsCardProps<Row>) {
  const { list } = props;
  const may = useMay();
  const products = useProducts();
  return (
    <ListCard<Row>
      {...props}
      title={say('Uploads')}
      words={{
        loading: say('Loading uploads...'),
        notLoaded: say('We could not load the uploads.'),
        empty: may(importCoupons)
          ? say('No uploads found. Upload a file of codes on the page Codes.')
          : say('No uploads found.'),
        noMatch: say('No uploads match.'),
        emptyPage: say('There are no uploads on this page.'),
        showAll: say('Show all uploads'),
      }}
      filters={
        <FilterSelect
          label={say('Only uploads of')}
          value={list.state.filters.product_id ?? ''}
          options={[{ value: '', label: say('All products') }, ...products.options]}
          onChange={(value) => list.filter('product_id', value)}
        />
      }
      table={{ caption: say('Uploads'), columns, keyOf: ({ id }) => id }}
    />
  );
}

// The list of the files of codes of 90 days with their states, newest first (N-104, R-LIFE-33).

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
      <Link href={href} className={ROW_LINK} dir="auto" aria-label={full}>
        {text}
      </Link>
    );
  });
  return file ? [file, listProductColumn(names), ...others] : [];
}

function UploadList() {
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
    <UploadsCard
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
