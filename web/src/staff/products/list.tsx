// The admin page for products: a form, the bulk upload and the list (R-APROD, R-VAL-10, R-VAL-11).
import {
  createProduct,
  importCoupons,
  importProducts,
  type ListedProduct,
  newProduct,
  type ProductStatus,
} from '@portal/contract';
import { call } from '../../api.ts';
import { productIdOf } from '../../navigation.ts';
import { CardBody } from '../../ui/card.tsx';
import { classes } from '../../ui/dom.ts';
import { Check } from '../../ui/field.tsx';
import { Meter } from '../../ui/progress.tsx';
import type { Column } from '../../ui/table.tsx';
import { formatNumber } from '../../words/format.ts';
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
  StatusMark,
  useArchivedProducts,
  useProducts,
} from '../nouns/product.tsx';
import { leftLook, StockTag, type StockTone, useStock } from '../nouns/stock.tsx';
import { RoleGate, useMay } from '../role.tsx';
import { formatDay } from '../time.ts';
import { EMPTY_TEXTS, formatPerksRule, formatRequired, ProductFields, withoutBlankFacts } from './form.tsx';

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
      <ProductMark id={productIdOf(product)} logo={product.logo}>
        <ProductLink to={productIdOf(product)}>{text}</ProductLink>
      </ProductMark>
    ),
  }),
  column(t('URL'), ({ url }) => url, {
    sort: 'url',
    sortedBy: ({ url }) => url.toLowerCase(),
    max: 50,
    awayOnTablets: true,
    awayOnPhones: () => true,
    draw: (_, { text }) => <OneLine>{text}</OneLine>,
  }),
  column(t('Description'), ({ description }) => description, {
    sort: 'description',
    sortedBy: ({ description }) => description.toLowerCase(),
    max: 60,
    awayOnLaptops: true,
    awayOnPhones: () => true,
    draw: (_, { text }) => <OneLine>{text}</OneLine>,
  }),
  column(t('Shared Coupon'), ({ shared_coupon }) => (shared_coupon ? t('Yes') : t('No')), {
    sort: 'shared_coupon',
    sortedBy: ({ shared_coupon }) => Number(!shared_coupon),
    awayOnLaptops: true,
    // Phones say 'Shared' in place of the number.
    awayOnPhones: () => true,
    draw: ({ shared_coupon }, { text }) =>
      shared_coupon ? text : <span className="text-ink-3">{text}</span>,
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
    draw: (product) => (
      <span className="flex flex-col items-start leading-4 whitespace-nowrap max-md:items-end">
        <StatusMark status={product.status} />
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

/** The numbers end at the edge of their heading; the bars before them begin at one edge too. */
function CodesLeft({ product, text, tone }: CodesLeftProps) {
  const { name, left, held } = product;
  if (left === null) return <span className="text-ink-3">{text}</span>;
  return (
    <span className="inline-flex flex-wrap items-center justify-end gap-x-2.5 lg:flex-nowrap">
      {tone && (
        <RoleGate to={importCoupons}>
          <span className="max-md:order-last">
            <AddCodesLink product={productIdOf(product)} />
          </span>
        </RoleGate>
      )}
      <StockTag tone={tone} />
      {tone !== 'none' && (
        <span className="w-14 max-lg:hidden">
          <Meter
            label={t('{product}: codes left', { product: name })}
            value={left}
            max={left + held}
            words={text}
            tone={tone}
          />
        </span>
      )}
      <span className={classes('md:min-w-10', tone && classes('font-semibold', leftLook(tone)))}>{text}</span>
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

/** The order of the dashboard and of Stock: products that need attention first, then by name (R-DAY-10). */
function sortByAttention(products: ListedProduct[], stock: Stock, newRow: string | undefined) {
  const places = new Map(stock.products.map(({ product_id }, place) => [product_id, place]));
  const placeOf = (product: ListedProduct) => {
    const id = productIdOf(product);
    // A new product stands on the first page, where the user looks for it. Archived products have no stock.
    return id === newRow ? -1 : (places.get(id) ?? places.size);
  };
  return products.toSorted((a, b) => placeOf(a) - placeOf(b) || a.name.localeCompare(b.name));
}

/** A text that is cut to one line. The product's page has the whole text. */
function OneLine({ children }: { children: string }) {
  return (
    <span dir="auto" className="block truncate">
      {children}
    </span>
  );
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
        usualOrder: t('Needs attention first'),
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
      table={{
        caption: t('Products'),
        columns,
        keyOf: productIdOf,
        marked: newRow,
        // URL and description have the width that the other columns leave.
        className:
          'md:[&_td:is(:nth-child(2),:nth-child(3))]:w-[17%] md:[&_td:is(:nth-child(2),:nth-child(3))]:max-w-0',
      }}
    />
  );
}

function ProductForm({ onSaved }: { onSaved: (key: string) => void }) {
  const { withId, renew } = useFormId();
  const form = useStaffForm({
    start: { ...EMPTY_TEXTS, shared_coupon: false },
    required: formatRequired,
    schema: { safeParse: (values) => newProduct.safeParse(withoutBlankFacts(values)) },
    formatInvalid: { perks: formatPerksRule() },
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
