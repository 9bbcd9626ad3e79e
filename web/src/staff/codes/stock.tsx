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
import { ForecastLine, leftLook, needsCodes, StockTag, stockToneOf } from '../nouns/stock.tsx';
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
const listColumns = (totals: Product | undefined): Column<Product>[] => {
  const count = (label: string, of: Count) =>
    column<Product>(label, (product) => formatNumber(product[of]), {
      right: true,
      labelOnPhones: true,
      // Only wide screens have room for a column of zeros.
      awayOnLaptops: RARE.includes(of) && totals?.[of] === 0,
      awayOnPhones: (product) => RARE.includes(of) && product[of] === 0,
      sort: of,
      isDescending: true,
      sortedBy: (product) => product[of],
      draw: (product, { text }) => <span className={lookOf(product, of)}>{text}</span>,
    });
  return [
    column(t('Product'), ({ name }) => name, {
      as: 'strong',
      max: 30,
      sort: 'name',
      sortedBy: ({ name }) => name.toLowerCase(),
      draw: (product, { text }) =>
        product.product_id === '' ? text : <ProductCell product={product} name={text} />,
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
      // The name of a shared product has a text about it.
      awayOnPhones: (product) => product.product_id === '' || product.left === null || !needsCodes(product),
      draw: (product, { text }) =>
        product.product_id === '' ? text : <StockCell product={product} text={text} />,
    }),
  ];
};

const RARE: Count[] = ['revoked', 'void', 'expired'];

/** Free codes are the strongest number, in the colour of the tag if few are left. A zero elsewhere is the palest. */
function lookOf(product: Product, of: Count): string | undefined {
  const isUnlimited = product.left === null;
  if (of === 'free' && !isUnlimited && product.product_id !== '')
    return classes('font-semibold', leftLook(stockToneOf(product)));
  // A shared code has one row for each holder, and one for the next: not a stock.
  if (product[of] === 0 || (isUnlimited && of !== 'held')) return 'text-ink-3';
  return of === 'held' ? 'text-ink' : undefined;
}

/** The name, and how long its codes last: on wide screens beside it, else below. */
function ProductCell({ product, name }: { product: Product; name: string }) {
  return (
    <ProductMark id={product.product_id}>
      <span className="grid min-w-0 flex-1 items-center gap-x-4 leading-5 xl:grid-cols-[minmax(9.5rem,max-content)_minmax(0,1fr)] xl:*:nth-[n+3]:col-start-2">
        <span className="max-xl:-mb-1">
          <ProductLink to={product.product_id}>{name}</ProductLink>
        </span>
        <ForecastLine of={product} className="font-normal" />
        {product.shared_coupon && (
          <span className="text-xs/5 font-normal whitespace-normal text-ink-3">
            {t('One code for everybody, counted once for each holder')}
          </span>
        )}
        <UnknownCodes product={product} />
      </span>
    </ProductMark>
  );
}

/** The tag, and a link to the upload if codes should be added soon. */
function StockCell({ product, text }: { product: Product; text: string }) {
  if (product.left === null) return <span className="text-ink-3">{text}</span>;
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-0.5 md:justify-end xl:flex-nowrap">
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
  const totals = query.data && totalsOf(query.data);
  const columns = listColumns(totals);
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
          'max-md:[&_:is(tbody,tfoot)_th]:col-[1/-1]! max-md:[&_tbody_td:last-child]:col-[1/-1]! max-md:[&_tbody_td:last-child]:row-start-2! max-md:[&_tbody_td:last-child]:text-left! max-md:[&_tbody_td:last-child]:whitespace-normal!',
          // Phones: the texts and numbers begin where the name begins, after the mark.
          'max-md:[&_tr]:grid-cols-[repeat(3,minmax(5.5rem,auto))]! max-[24rem]:[&_tr]:grid-cols-[repeat(2,minmax(5.5rem,auto))]! max-md:[&_tr]:justify-start max-md:[&_tr]:pl-12.5! max-md:[&_:is(tbody,tfoot)_th]:-ml-8',
          'max-md:[&_tfoot_tr]:bg-sunken',
          'md:max-lg:[&_td:last-child_a]:whitespace-normal md:[&_tfoot_:is(th,td)]:bg-sunken [&_tfoot_:is(th,td)]:text-ink!',
        ),
        caption: t('Coupons per product'),
        columns,
        keyOf: ({ product_id }) => product_id,
        foot: totals,
      }}
    />
  );
}
