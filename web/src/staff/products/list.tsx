// The admin page for products: a form, the bulk upload and the list (R-APROD, R-VAL-10, R-VAL-11).
import { createProduct, importProducts, newProduct, type StaffProduct } from '@portal/contract';
import { Fragment } from 'react';
import { call } from '../../api.ts';
import { productIdOf } from '../../navigation.ts';
import { Card, CardBody } from '../../ui/card.tsx';
import { Check } from '../../ui/field.tsx';
import type { Column } from '../../ui/table.tsx';
import { t, tNode } from '../../words/translate.ts';
import { RecentUploads } from '../files/lists.tsx';
import { BulkUpload, ColumnName, ColumnNotes, Note } from '../files/upload.tsx';
import { StaffForm, useFormId, useStaffForm } from '../form.tsx';
import { column, ListCard, sliceList, useArchivable, useNewRow } from '../list.tsx';
import { ProductLink, ProductMark, StatusTag, useArchivedProducts, useProducts } from '../nouns/product.tsx';
import { RoleGate, useMay } from '../role.tsx';
import { EMPTY_TEXTS, formatRequired, ProductFields } from './form.tsx';

export function ProductsPage() {
  const { newRow, onSaved } = useNewRow();
  return (
    <>
      <RoleGate to={createProduct}>
        <Card title={t('Add New Product')} className="lg:col-span-7">
          <CardBody>
            <ProductForm onSaved={onSaved} />
          </CardBody>
        </Card>
      </RoleGate>
      <RoleGate to={importProducts}>
        <BulkUpload kind="products" className="lg:col-span-5" body={{}}>
          <ColumnNotes kind="products">
            <Note>
              {tNode('{column} may be left empty.', { column: <ColumnName name="instructions" /> })}
            </Note>
            <Note>{t('Product ids are created for you.')}</Note>
          </ColumnNotes>
        </BulkUpload>
      </RoleGate>
      <ProductsTable newRow={newRow} />
      <RoleGate to={importProducts}>
        <RecentUploads kind="products" />
      </RoleGate>
    </>
  );
}

const listColumns = (): Column<StaffProduct>[] => [
  column(t('Name'), ({ name }) => name, {
    as: 'strong',
    max: 30,
    draw: (product, { text }) => (
      <ProductMark id={productIdOf(product)}>
        <ProductLink to={productIdOf(product)}>{text}</ProductLink>
        <StatusTag status={product.status} />
      </ProductMark>
    ),
  }),
  column(t('URL'), ({ url }) => url, { max: 50, draw: (_, { text }) => <BreakableUrl url={text} /> }),
  column(t('Description'), ({ description }) => description, { max: 60, awayOnTablets: true }),
  column(t('Shared Coupon'), ({ shared_coupon }) => (shared_coupon ? t('Yes') : t('No')), { as: 'end' }),
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

/** The server returns the whole list at once, so the browser does the search and the paging. */
function ProductsTable({ newRow }: { newRow: string | undefined }) {
  const may = useMay();
  const { list, query, isArchived, choice } = useArchivable(useProducts().query, useArchivedProducts());
  const wanted = list.state.q.toLowerCase();
  const found = (query.data ?? []).filter(({ name, url }) =>
    `${name}\n${url}`.toLowerCase().includes(wanted),
  );
  const page = sliceList(found, list);
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
      filters={choice}
      table={{ caption: t('Products'), columns: listColumns(), keyOf: productIdOf, marked: newRow }}
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
          hint={t('Every learner gets the same code')}
        />
      </ProductFields>
    </StaffForm>
  );
}
