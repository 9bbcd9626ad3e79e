// The pages about uploads of codes: the list, and one upload (R-LIFE-33).
import {
  type Batch,
  getImport,
  type ImportState,
  importCoupons,
  listBatches,
  listImports,
} from '@portal/contract';
import { useLocation, useParams } from 'wouter';
import { FilterSelect } from '../../ui/choice.tsx';
import type { Column } from '../../ui/table.tsx';
import { sayDay, sayNumber } from '../../words/format.ts';
import { say } from '../../words/say.ts';
import { openUpload } from '../files/follow.ts';
import { listUploadColumns, listUploadWords } from '../files/upload.tsx';
import { AdminFrame, listCouponTabs, NothingHerePage } from '../frame.tsx';
import { column, ListCard, RowLink, useList, useListState } from '../list.tsx';
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

function UploadsPage() {
  return (
    <AdminFrame title={say('Coupons')} tabTitle={say('Uploads')} subTabs={listCouponTabs()}>
      <RoleGate to={getImport} otherwise={<BatchList />}>
        <FileList />
      </RoleGate>
    </AdminFrame>
  );
}

const FILTERS = ['product_id'];

/** The uploads without their states, for roles that may not read imports. */
function BatchList() {
  const list = useListState(FILTERS);
  return (
    <UploadsCard<Batch>
      sub={say('Files of codes, newest first.')}
      list={list}
      {...useList(listBatches, list)}
      of={['coupons', 'products']}
      columnsWith={(names) => {
        const [file, ...others] = listBatchColumns();
        return [file, listProductColumn(names), ...others];
      }}
    />
  );
}

/** The files of codes of 90 days with their states (N-104). */
function FileList() {
  const [, navigate] = useLocation();
  const list = useListState(FILTERS);
  const files = useList(listImports, {
    ...list,
    state: { ...list.state, filters: { ...list.state.filters, kind: 'coupons' } },
  });
  const open = (row: ImportState) => {
    void openUpload(row);
    navigate(CODES_PATH);
  };
  // An upload whose codes have a page leads there. Any other upload is shown on the page Codes.
  const [file, ...others] = listUploadColumns(open, ({ batch_id, state }, words) =>
    batch_id === null || state === 'running' ? undefined : (
      <RowLink href={`${UPLOADS_PATH}/${batch_id}`} words={words} />
    ),
  );
  return (
    <UploadsCard
      sub={say(
        'Files of codes of the last 90 days, newest first. Open one to void what is unused or to set its last day.',
      )}
      list={list}
      {...files}
      of={['imports', 'products']}
      columnsWith={(names) => [file, listProductColumn(names), ...others]}
    />
  );
}

/** The columns of a list of uploads of codes, without their product. */
export const listBatchColumns = (): [Column<Batch>, ...Column<Batch>[]] => [
  column<Batch>(say('File'), fileNameOf, {
    as: 'strong',
    max: 60,
    draw: ({ id }, words) => <RowLink href={`${UPLOADS_PATH}/${id}`} words={words} />,
  }),
  column(say('Day'), ({ created_at }) => sayDay(created_at)),
  listByColumn(),
  column(say('Codes'), ({ codes }) => sayNumber(codes), { as: 'end', right: true }),
];

type UploadsCardProps<Row> = Pick<
  Parameters<typeof ListCard<Row>>[0],
  'sub' | 'list' | 'query' | 'page' | 'of'
> & { columnsWith: (names: Map<string, string>) => Column<Row>[] };

function UploadsCard<Row extends { id: string; product_id: string | null }>({
  columnsWith,
  ...props
}: UploadsCardProps<Row>) {
  const { list, page } = props;
  const may = useMay();
  const { options } = useProducts();
  const { names, isPending } = useProductNames(page.rows);
  return (
    <ListCard<Row>
      {...props}
      title={say('Uploads')}
      lacksNames={isPending}
      words={{
        ...listUploadWords(),
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
          options={[{ value: '', label: say('All products') }, ...options]}
          onChange={(value) => list.filter('product_id', value)}
        />
      }
      table={{ caption: say('Uploads'), columns: columnsWith(names), keyOf: ({ id }) => id }}
    />
  );
}
