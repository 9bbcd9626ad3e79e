// The admin page for products: a form, the bulk upload and the list (R-APROD, R-VAL-10, R-VAL-11).
import {
  createProduct,
  importCoupons,
  importProducts,
  type ListedProduct,
  newProduct,
  type ProductStatus,
} from '@portal/contract';
import { Fragment } from 'react';
import { call } from '../../api.ts';
import { productIdOf } from '../../navigation.ts';
import { CardBody } from '../../ui/card.tsx';
import { Check } from '../../ui/field.tsx';
import { Meter } from '../../ui/progress.tsx';
import type { Column } from '../../ui/table.tsx';
import { daysLeft, formatDay, formatNumber } from '../../words/format.ts';
import { t, tNode } from '../../words/translate.ts';
import { AddCard, AddCards } from '../add-cards.tsx';
import { RecentUploads } from '../files/lists.tsx';
import {
  BulkUpload,
  ColumnName,
  ColumnNotes,
  Note,
  UploadOutcome,
  uploadCard,
  useNeededCard,
} from '../files/upload.tsx';
import { StaffForm, useFormId, useStaffForm } from '../form.tsx';
import { column, ListCard, sliceList, sortRows, useArchivable, useNewRow } from '../list.tsx';
import {
  AddCodesLink,
  formatStatus,
  ProductLink,
  ProductMark,
  StatusTag,
  useArchivedProducts,
  useProducts,
} from '../nouns/product.tsx';
import { StockTag, type StockTone, useStock } from '../nouns/stock.tsx';
import { RoleGate, useMay } from '../role.tsx';
import { EMPTY_TEXTS, formatRequired, ProductFields } from './form.tsx';

export function ProductsPage() {
  const { newRow, onSaved } = useNewRow();
  const { data: products, isPending } = useProducts().query;
  const isLoading = useStock().isPending || isPending;
  return (
    <>
      <AddCards isEmpty={products?.length === 0} needed={useNeededCard('products')}>
        <AddCard name="add" title={t('Add New Product')} to={createProduct}>
          <CardBody>
            <ProductForm onSaved={onSaved} />
          </CardBody>
        </AddCard>
        <AddCard {...uploadCard('products')}>
          <BulkUpload kind="products" body={{}}>
            <ColumnNotes kind="products">
              <Note>
                {tNode('{column} may be left empty.', { column: <ColumnName name="instructions" /> })}
              </Note>
              <Note>{t('Product ids are created for you.')}</Note>
            </ColumnNotes>
          </BulkUpload>
        </AddCard>
      </AddCards>
      <RoleGate to={importProducts}>
        <UploadOutcome kind="products" />
      </RoleGate>
      <ProductsTable newRow={newRow} />
      {/* Not before the list above has its height, so that the card does not move. */}
      {!isLoading && (
        <RoleGate to={importProducts}>
          <RecentUploads kind="products" />
        </RoleGate>
      )}
    </>
  );
}

type Stock = ReturnType<typeof useStock>;

/** `stock` says of which products few or no codes are left. */
const listColumns = (stock: Stock): Column<ListedProduct>[] => [
  column(t('Name'), ({ name }) => name, {
    as: 'strong',
    sort: 'name',
    sortedBy: ({ name }) => name.toLowerCase(),
    max: 30,
    draw: (product, { text }) => (
      <ProductMark id={productIdOf(product)}>
        <ProductLink to={productIdOf(product)}>{text}</ProductLink>
      </ProductMark>
    ),
  }),
  column(t('URL'), ({ url }) => url, {
    sort: 'url',
    sortedBy: ({ url }) => url.toLowerCase(),
    max: 50,
    awayOnTablets: true,
    draw: (_, { text }) => <BreakableUrl url={text} />,
  }),
  column(t('Description'), ({ description }) => description, {
    sort: 'description',
    sortedBy: ({ description }) => description.toLowerCase(),
    max: 60,
    awayOnLaptops: true,
  }),
  column(t('Shared Coupon'), ({ shared_coupon }) => (shared_coupon ? t('Yes') : t('No')), {
    sort: 'shared_coupon',
    sortedBy: ({ shared_coupon }) => Number(!shared_coupon),
    awayOnLaptops: true,
    labelOnPhones: true,
    awayOnPhones: ({ shared_coupon }) => !shared_coupon,
  }),
  column(t('Codes left'), ({ left }) => (left === null ? t('Shared') : formatNumber(left)), {
    sort: 'left',
    sortedBy: ({ left }) => left,
    right: true,
    labelOnPhones: true,
    draw: (product, { text }) => <CodesLeft product={product} text={text} tone={toneOf(product, stock)} />,
  }),
  column(t('Held'), ({ held }) => formatNumber(held), {
    sort: 'held',
    isDescending: true,
    sortedBy: ({ held }) => held,
    right: true,
    awayOnLaptops: true,
    awayOnPhones: () => true,
  }),
  column(t('Last 30 days'), ({ redeemed_30 }) => formatNumber(redeemed_30), {
    sort: 'redeemed_30',
    isDescending: true,
    sortedBy: ({ redeemed_30 }) => redeemed_30,
    right: true,
    labelOnPhones: true,
    awayOnPhones: ({ redeemed_30 }) => redeemed_30 === 0,
  }),
  column(t('Status'), ({ status }) => formatStatus(status), {
    as: 'end',
    sort: 'status',
    sortedBy: ({ status, closes_on }) => `${STATUS_ORDER.indexOf(status)} ${closes_on ?? '9999'}`,
    draw: (product, { text }) => (
      <span className="inline-flex flex-col gap-0.5 max-md:items-end">
        {product.status === 'live' ? text : <StatusTag status={product.status} />}
        <ProductDay product={product} />
      </span>
    ),
  }),
];

const SORTS = ['name', 'url', 'description', 'shared_coupon', 'left', 'held', 'redeemed_30', 'status'];
const STATUS_ORDER: ProductStatus[] = ['live', 'scheduled', 'paused', 'ended', 'archived'];

/** The tone of the codes left. A product that learners cannot redeem now or later needs no codes. */
function toneOf(product: ListedProduct, stock: Stock): StockTone {
  const { status } = product;
  return status === 'ended' || status === 'archived' ? undefined : stock.toneOf(productIdOf(product));
}

type CodesLeftProps = { product: ListedProduct; text: string; tone: StockTone };

function CodesLeft({ product, text, tone }: CodesLeftProps) {
  const { name, left, held } = product;
  if (left === null) return text;
  return (
    <span className="inline-flex flex-col items-end gap-1 max-md:items-start">
      <span className="flex items-center gap-2 md:max-lg:flex-wrap md:justify-end">
        <StockTag tone={tone} />
        {tone === 'none' ? (
          <RoleGate to={importCoupons}>
            <AddCodesLink product={productIdOf(product)} />
          </RoleGate>
        ) : (
          text
        )}
      </span>
      <span className="w-28 max-md:hidden">
        <Meter
          label={t('{product}: codes left', { product: name })}
          value={left}
          max={left + held}
          words={text}
          tone={tone}
        />
      </span>
    </span>
  );
}

/** The day on which redeeming opens, or else on which it closes, if the product has one. */
function ProductDay({ product: { status, opens_on, closes_on } }: { product: ListedProduct }) {
  const words =
    status === 'scheduled' && opens_on !== null
      ? t('from {day}', { day: formatDay(opens_on) })
      : closes_on !== null && t('until {day}', { day: formatDay(closes_on) });
  return words && <span className="text-xs/4 whitespace-nowrap text-ink-3">{words}</span>;
}

const CLOSING_SOON_DAYS = 14;

/** Products that need attention first: none left, low, closing soon. Then by name (R-DAY-10). */
function sortByAttention(products: ListedProduct[], stock: Stock, newRow: string | undefined) {
  const now = new Date();
  const rankOf = (product: ListedProduct) => {
    const { status, closes_on } = product;
    // A new product stands on the first page, where the user looks for it.
    if (productIdOf(product) === newRow) return -1;
    const tone = toneOf(product, stock);
    if (tone) return tone === 'none' ? 0 : 1;
    return status === 'live' && closes_on && daysLeft(closes_on, now) <= CLOSING_SOON_DAYS ? 2 : 3;
  };
  const ranked = products.map((product) => ({ product, rank: rankOf(product) }));
  ranked.sort((a, b) => a.rank - b.rank || a.product.name.localeCompare(b.product.name));
  return ranked.map(({ product }) => product);
}

/** A URL that breaks across lines after a slash, not within a word. */
function BreakableUrl({ url }: { url: string }) {
  return (url.match(/[^/?&]*[/?&]*/g) ?? []).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

/** The server returns the whole list at once, so the browser does the search and the paging. */
function ProductsTable({ newRow }: { newRow: string | undefined }) {
  const may = useMay();
  const stock = useStock();
  const { list, query, isArchived, choice } = useArchivable(
    useProducts().query,
    useArchivedProducts(),
    SORTS,
  );
  const wanted = list.state.q.toLowerCase();
  const found = (query.data ?? []).filter(({ name, url }) =>
    `${name}\n${url}`.toLowerCase().includes(wanted),
  );
  const columns = listColumns(stock);
  const sorted = sortRows(sortByAttention(found, stock, newRow), columns, list.state.sort);
  const page = sliceList(sorted, list);
  return (
    <ListCard
      title={t('Existing Products')}
      of={['products']}
      words={{
        search: t('Search products'),
        searchHint: t('Name or URL'),
        loading: t('Loading products...'),
        notLoaded: t('We could not load the products.'),
        empty: isArchived
          ? t('No product is archived.')
          : may(createProduct)
            ? t('No products found. Create your first product above.')
            : t('No products found.'),
        noMatch: t('No products match.'),
        emptyPage: t('There are no products on this page.'),
        showAll: t('Show all products'),
      }}
      {...{ list, query, page }}
      // The order by attention depends on the stock.
      lacksNames={stock.isPending}
      filters={choice}
      table={{ caption: t('Products'), columns, keyOf: productIdOf, marked: newRow }}
    />
  );
}

function ProductForm({ onSaved }: { onSaved: (key: string) => void }) {
  const { withId, renew } = useFormId();
  const form = useStaffForm({
    start: { ...EMPTY_TEXTS, shared_coupon: false },
    required: formatRequired,
    schema: newProduct,
    send: (body) => call(createProduct, { body: withId(body) }),
    failed: t('Failed to create product'),
    onDone: (product) => {
      renew();
      onSaved(product ? productIdOf(product) : '');
    },
    done: t('Product created successfully'),
    changes: ['products'],
  });
  const { field } = form;
  return (
    <StaffForm form={form} save={t('Save Product')}>
      <ProductFields field={field}>
        <Check
          {...field('shared_coupon')}
          className="col-span-full"
          label={t('Shared Coupon')}
          hint={t('Everybody gets the same code')}
        />
      </ProductFields>
    </StaffForm>
  );
}
