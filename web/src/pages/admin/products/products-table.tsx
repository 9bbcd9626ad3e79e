// The list of products, either the current ones or the archived ones. The server returns the whole list at once, so the
// browser does the search and the paging.
import type { StaffProduct } from '@portal/contract';
import { createProduct } from '@portal/contract';
import { Fragment } from 'react';
import { productIdOf } from '../../../parts/product-id.ts';
import { Card } from '../../../ui/card.tsx';
import { type Column, cutWords } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { Segments } from '../../../ui/segments.tsx';
import { say } from '../../../words/say.ts';
import { AsOf } from '../lists/as-of.tsx';
import { ListBody } from '../lists/list-body.tsx';
import { productListWords } from '../lists/list-words.ts';
import { sliceList } from '../lists/slice-list.ts';
import { useListState } from '../lists/use-list.ts';
import { ProductMark } from '../product-mark.tsx';
import { useMay } from '../role-gate.tsx';
import { useArchivedProducts, useProducts } from '../use-products.ts';
import { ProductLink } from './product-link.tsx';
import { StatusTag } from './status-tag.tsx';

// Columns of the list, as R-APROD-09 to R-APROD-12 require them.
const listColumns = (): Column<StaffProduct>[] => [
  {
    label: say('Name'),
    as: 'strong',
    words: ({ name }) => cutWords(name, 30),
    draw: (product, { text }) => (
      <ProductMark id={productIdOf(product)}>
        <ProductLink to={productIdOf(product)}>{text}</ProductLink>
        <StatusTag status={product.status} />
      </ProductMark>
    ),
  },
  {
    label: say('URL'),
    as: 'line',
    words: ({ url }) => cutWords(url, 50),
    draw: (_product, { text }) => <BreakableUrl url={text} />,
  },
  {
    label: say('Description'),
    as: 'line',
    words: ({ description }) => cutWords(description, 60),
    awayOnTablets: true,
  },
  {
    label: say('Shared Coupon'),
    as: 'end',
    words: ({ shared_coupon }) => ({ text: shared_coupon ? say('Yes') : say('No') }),
  },
];

/** A URL that breaks across lines after a slash, not within a word. */
function BreakableUrl({ url }: { url: string }) {
  return (url.match(/[^/?&]*[/?&]*/g) ?? []).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

const ARCHIVED = 'archived';

export function ProductsTable({ newRow }: { newRow: string | undefined }) {
  const current = useProducts();
  const archived = useArchivedProducts();
  const list = useListState(['show']);
  const isArchived = list.state.filters.show === ARCHIVED;
  const query = isArchived ? archived : current.query;
  const wanted = list.state.q.toLowerCase();
  const found = (query.data ?? []).filter(({ name, url }) =>
    `${name}\n${url}`.toLowerCase().includes(wanted),
  );
  const page = sliceList(found, list);
  const words = productListWords(useMay()(createProduct));
  // If a search finds nothing, the list shows a button that calls `reset`. Here `reset` removes only the text of the
  // search. The user's choice between current and archived products stays.
  const ownList = {
    ...list,
    isNarrowed: list.state.q !== '',
    reset: () => list.show({ ...list.state, q: '', cursors: [] }),
  };
  return (
    <Card title={say('Existing Products')} action={<AsOf query={query} of={['products']} />}>
      <ListBody
        words={isArchived ? { ...words, empty: say('No product is archived.') } : words}
        list={ownList}
        query={query}
        page={page}
        filters={
          <Segments
            label={say('Show')}
            value={isArchived ? ARCHIVED : ''}
            options={[
              { value: '', label: say('Current'), count: current.query.data?.length },
              { value: ARCHIVED, label: say('Archived'), count: archived.data?.length },
            ]}
            onChange={(value) => list.filter('show', value)}
          />
        }
      >
        <DataTable
          caption={say('Products')}
          columns={listColumns()}
          rows={page.rows}
          keyOf={productIdOf}
          marked={newRow}
        />
      </ListBody>
    </Card>
  );
}
