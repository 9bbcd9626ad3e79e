// The card with all uploads of codes, by product. Its rows depend on the role of the user.

import { importCoupons } from '@portal/contract';
import type { UseQueryResult } from '@tanstack/react-query';
import { Card } from '../../../ui/card.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { FilterSelect } from '../../../ui/filter-select.tsx';
import { say } from '../../../words/say.ts';
import { AsOf, type AsOfProps } from '../lists/as-of.tsx';
import { ListBody } from '../lists/list-body.tsx';
import { uploadListWords } from '../lists/list-words.ts';
import type { ShownPage } from '../lists/slice-list.ts';
import type { List } from '../lists/use-list.ts';
import { useMay } from '../role-gate.tsx';
import { useProducts } from '../use-products.ts';

export const UPLOAD_FILTERS = ['product_id'];

type UploadsFrameProps<Row> = {
  sub: string;
  list: List;
  query: UseQueryResult;
  /** The lists of the server from which the rows come, for the time of the data. */
  of: AsOfProps['of'];
  page: ShownPage<Row>;
  columns: Column<Row>[];
  /** True while the names of the products in the rows are loading. */
  lacksNames: boolean;
};

export function UploadsFrame<Row extends { id: string }>(props: UploadsFrameProps<Row>) {
  const { sub, list, query, of, page, columns, lacksNames } = props;
  const may = useMay();
  const products = useProducts();
  return (
    <Card title={say('Uploads')} sub={sub} action={<AsOf query={query} of={of} />}>
      <ListBody
        words={uploadListWords(may(importCoupons))}
        list={list}
        query={{ isPending: query.isPending || lacksNames, isError: query.isError, refetch: query.refetch }}
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
