// The list of all products. The server returns all products at once, so search and pages are computed in the browser.
import type { Product } from '@portal/contract';
import { productIdOf } from '../../../parts/product-id.ts';
import { Card } from '../../../ui/card.tsx';
import { type Column, cutWords } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { Rosette } from '../../../ui/rosette.tsx';
import { say } from '../../../words/say.ts';
import { AsOf } from '../lists/as-of.tsx';
import { ListBody } from '../lists/list-body.tsx';
import { productListWords } from '../lists/list-words.ts';
import { sliceList } from '../lists/slice-list.ts';
import { useListState } from '../lists/use-list.ts';
import { useProducts } from '../use-products.ts';
import styles from './products-table.module.css';

// Columns of the list, as R-APROD-09 to R-APROD-12 require them.
const listColumns = (): Column<Product>[] => [
  {
    label: say('Name'),
    as: 'strong',
    words: ({ name }) => cutWords(name, 30),
    draw: (product, { text }) => (
      <span className={styles.name}>
        <Rosette id={productIdOf(product)} size={20} detail="small" className={styles.mark} />
        <span className={styles.text}>{text}</span>
      </span>
    ),
  },
  { label: say('URL'), as: 'line', words: ({ url }) => cutWords(url, 50) },
  { label: say('Description'), as: 'line', words: ({ description }) => cutWords(description, 60) },
  {
    label: say('Shared Coupon'),
    as: 'end',
    words: ({ shared_coupon }) => ({ text: shared_coupon ? say('Yes') : say('No') }),
    labelOnPhones: true,
  },
];

export function ProductsTable({ newRow }: { newRow: string | undefined }) {
  const { query, products } = useProducts();
  const list = useListState([]);
  const wanted = list.state.q.toLowerCase();
  const found = products.filter(({ name, url }) => `${name}\n${url}`.toLowerCase().includes(wanted));
  const page = sliceList(found, list);
  return (
    <Card title={say('Existing Products')} action={<AsOf query={query} of={['products']} />}>
      <ListBody words={productListWords()} list={list} query={query} page={page}>
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
