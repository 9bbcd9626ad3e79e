// The numbers of codes per product, for every role (R-DAY-14, R-TEAM-32).
import { getStats, importCoupons, listCoupons, type Stats } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { queryOf } from '../../queries.ts';
import { classes } from '../../ui/dom.ts';
import type { Column } from '../../ui/table.tsx';
import { formatNumber } from '../../words/format.ts';
import { t } from '../../words/translate.ts';
import { AdminFrame } from '../frame.tsx';
import { column, ListCard, sliceList, sortRows, useListState } from '../list.tsx';
import { AddCodesLink, ProductLink, ProductMark } from '../nouns/product.tsx';
import { ForecastLine, needsCodes, StockTag, stockToneOf } from '../nouns/stock.tsx';
import { UnknownCodes } from '../nouns/unknown-code.tsx';
import { RoleGate, useMay } from '../role.tsx';

export function StockPage() {
  return (
    <AdminFrame title={t('Coupons')} tabTitle={t('Stock')}>
      <StockCard />
    </AdminFrame>
  );
}

type Product = Stats['stock'][number];
type Count = 'codes' | 'free' | 'held' | 'revoked' | 'void' | 'expired';

const SORTS = ['name', 'codes', 'free', 'held', 'revoked', 'void', 'expired'];

/** Each code has one state, so the counts of the states add up to `codes` in every row (N-201). */
const listColumns = (): Column<Product>[] => {
  const count = (label: string, of: Count) =>
    column<Product>(label, (product) => formatNumber(product[of]), {
      right: true,
      labelOnPhones: true,
      sort: of,
      isDescending: true,
      sortedBy: (product) => product[of],
      draw: (product, { text }) => (product[of] === 0 ? <span className="text-ink-3">{text}</span> : text),
    });
  return [
    column(t('Product'), ({ name }) => name, {
      as: 'strong',
      max: 30,
      sort: 'name',
      sortedBy: ({ name }) => name.toLowerCase(),
      draw: (product, { text }) => {
        const { product_id } = product;
        if (product_id === '') return text;
        return (
          <>
            <ProductMark id={product_id}>
              <ProductLink to={product_id}>{text}</ProductLink>
            </ProductMark>
            <ForecastLine of={product} className="ml-8 font-normal" />
            {product.shared_coupon && (
              <span className="ml-8 block text-xs/5 font-normal whitespace-normal text-ink-3">
                {t('One code for everybody, counted once for each holder')}
              </span>
            )}
            <UnknownCodes product={product} />
          </>
        );
      },
    }),
    count(t('Codes'), 'codes'),
    count(t('Free'), 'free'),
    count(t('Held'), 'held'),
    count(t('Revoked'), 'revoked'),
    count(t('Void'), 'void'),
    count(t('Expired'), 'expired'),
    column(t('Stock'), ({ left }) => (left === null ? t('Shared') : ''), {
      as: 'end',
      right: true,
      draw: (product, { text }) =>
        product.product_id === '' ? text : <StockCell product={product} text={text} />,
    }),
  ];
};

/** The tag, and a link to the upload if codes should be added soon. */
function StockCell({ product, text }: { product: Product; text: string }) {
  if (product.left === null) return text;
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1 md:justify-end">
      <StockTag tone={stockToneOf(product)} />
      {needsCodes(product) && (
        <RoleGate to={importCoupons}>
          <AddCodesLink product={product.product_id} />
        </RoleGate>
      )}
    </span>
  );
}

const NO_FORECAST = {
  ...{ without_code: null, short: null, pace: null, days_left: null },
  ...{ expiring_first: null, expires_on: null, forecast_at: null },
};

/** Returns the last row of the table, with the numbers of all products together. */
function totalsOf({ coupons }: Stats): Product {
  const { total: codes, available: free, assigned: held, revoked, void: voided, expired } = coupons;
  const counts = { codes, free, held, revoked, void: voided, expired };
  const name = t('All products');
  const sums = {
    name,
    shared_coupon: false,
    total: free + held + revoked,
    left: free,
    unconfirmed: 0,
    ...counts,
  };
  return { product_id: '', ...sums, ...NO_FORECAST };
}

/** Archived products are not in it (N-202). */
export function StockCard() {
  const may = useMay();
  const query = useQuery(queryOf(getStats));
  const list = useListState([], { sorts: SORTS });
  const columns = listColumns();
  const page = sliceList(sortRows(query.data?.stock ?? [], columns, list.state.sort), list);
  return (
    <ListCard
      title={t('Coupons per product')}
      sub={
        may(listCoupons)
          ? t('Without archived products')
          : t('Figures only: your role shows no codes and no people.')
      }
      of={[]}
      words={{
        usualOrder: t('Needs attention first'),
        loading: t('Loading figures...'),
        notLoaded: t('We could not load the figures.'),
        empty: t('There are no products yet.'),
        emptyPage: t('There are no products on this page.'),
        showAll: t('Show all products'),
      }}
      {...{ list, query, page }}
      table={{
        figures: true,
        isTight: true,
        className: classes(
          'max-md:[&_tbody_th]:col-[1/-1]! max-md:[&_tbody_td:last-child]:col-[1/-1]! max-md:[&_tbody_td:last-child]:row-start-2! max-md:[&_tbody_td:last-child]:text-left! max-md:[&_tbody_td:last-child]:whitespace-normal!',
          'md:max-lg:[&_td:last-child_a]:whitespace-normal md:max-lg:[&_tbody_th>span:not(:first-child)]:pl-0! md:max-lg:[&_tbody_th>span:not(:first-child)]:ml-0! md:max-lg:[&_:is(th,td):last-child]:pr-4! md:max-lg:[&_:is(th,td):first-child]:pl-4!',
        ),
        caption: t('Coupons per product'),
        columns,
        keyOf: ({ product_id }) => product_id,
        foot: query.data && totalsOf(query.data),
      }}
    />
  );
}
