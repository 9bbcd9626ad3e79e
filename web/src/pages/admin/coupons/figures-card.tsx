// The numbers of codes of each product, scarcest first. Shown in place of the list of codes to members whose role shows
// no codes and no people (R-TEAM-32, N-92).
import type { Stats } from '@portal/contract';
import { getStats } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { queryOf } from '../../../queries.ts';
import { Card } from '../../../ui/card.tsx';
import { type Column, cutWords } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { sayNumber } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import { AsOf } from '../lists/as-of.tsx';
import { ListBody } from '../lists/list-body.tsx';
import { figureListWords } from '../lists/list-words.ts';
import { sliceList } from '../lists/slice-list.ts';
import { useListState } from '../lists/use-list.ts';
import { ProductMark } from '../product-mark.tsx';
import { ProductLink } from '../products/product-link.tsx';
import { countStatuses } from '../stock.ts';
import { StockTag, stockToneOf } from '../stock-tag.tsx';

type Product = Stats['stock'][number];

const listColumns = (): Column<Product>[] => {
  const figure = (label: string, of: 'assigned' | 'available'): Column<Product> => ({
    label,
    as: 'line',
    right: true,
    words: (product) => ({
      text: sayFigure(product.left === null ? undefined : countStatuses(product)?.[of]),
    }),
    labelOnPhones: true,
    awayOnPhones: ({ left }) => left === null,
  });
  return [
    {
      label: say('Product'),
      as: 'strong',
      words: ({ name }) => cutWords(name, 30),
      draw: ({ product_id }, { text }) => (
        <ProductMark id={product_id}>
          <ProductLink to={product_id}>{text}</ProductLink>
        </ProductMark>
      ),
    },
    {
      label: say('Codes'),
      as: 'line',
      right: true,
      words: ({ left, codes }) => ({ text: left === null ? say('Shared code') : sayNumber(codes) }),
      labelOnPhones: true,
    },
    figure(say('Assigned'), 'assigned'),
    figure(say('Available'), 'available'),
    {
      label: say('Stock'),
      as: 'end',
      right: true,
      words: () => ({ text: '' }),
      draw: (product) => <StockTag tone={stockToneOf(product)} />,
    },
  ];
};

const sayFigure = (count: number | undefined) => (count === undefined ? '–' : sayNumber(count));

export function FiguresCard() {
  const query = useQuery(queryOf(getStats));
  const list = useListState([]);
  const page = sliceList(query.data?.stock ?? [], list);
  return (
    <Card
      title={say('Coupons per product')}
      sub={say('Figures only: your role shows no codes and no people.')}
      action={<AsOf query={query} of={[]} />}
    >
      <ListBody words={figureListWords()} list={list} query={query} page={page}>
        <DataTable
          figures
          caption={say('Coupons per product')}
          columns={listColumns()}
          rows={page.rows}
          keyOf={({ product_id }) => product_id}
        />
      </ListBody>
    </Card>
  );
}
