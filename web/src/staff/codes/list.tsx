// The admin page for coupons: a form, the bulk upload and the list (R-ACPN-04 to R-ACPN-31, R-VAL-25,
// R-VAL-26).
import {
  COUPON_CODE_MAX,
  createCoupon,
  exportCodes,
  getStats,
  hasRole,
  importCoupons,
  type ListedCoupon,
  listCoupons,
  newCoupon,
  type TeamRole,
} from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearch } from 'wouter';
import { call } from '../../api.ts';
import { queryOf } from '../../queries.ts';
import { useTeamRole } from '../../sign-in/admin-check.ts';
import { CardBody } from '../../ui/card.tsx';
import { FilterSelect, Segments } from '../../ui/choice.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { type Column, cutWords } from '../../ui/table.tsx';
import { t, tCount, tNode } from '../../words/translate.ts';
import { AddCard, AddCards } from '../add-cards.tsx';
import { DownloadList, useSmallestPage } from '../exports.tsx';
import {
  BulkUpload,
  ColumnName,
  Note,
  Notes,
  UploadOutcome,
  uploadCard,
  useNeededCard,
} from '../files/upload.tsx';
import { StaffForm, useStaffForm } from '../form.tsx';
import { column, ListCard, useList, useListState, useNewRow } from '../list.tsx';
import type { Reveals } from '../nouns/code.tsx';
import { ClearCode, formatCode, formatState, HiddenCode, StateLink, useReveals } from '../nouns/code.tsx';
import { PersonLink } from '../nouns/person.tsx';
import { listProductColumn, useProductChoices, useProductNames, useProducts } from '../nouns/product.tsx';
import { useStock } from '../nouns/stock.tsx';
import { UnknownTag } from '../nouns/unknown-code.tsx';
import { RoleGate, useMay } from '../role.tsx';
import { formatDay } from '../time.ts';
import { StockCard } from './stock.tsx';

export function CouponsPage() {
  const { newRow, onSaved } = useNewRow();
  const { data: stats } = useQuery(queryOf(getStats));
  return (
    <>
      <AddCards isEmpty={stats?.coupons.total === 0} needed={useNeededCard('coupons')}>
        <AddCard name="add" title={t('Add New Coupon')} to={createCoupon}>
          <CardBody>
            <CouponForm onSaved={onSaved} />
          </CardBody>
        </AddCard>
        <AddCard {...uploadCard('coupons')}>
          <CodesUpload />
        </AddCard>
      </AddCards>
      <RoleGate to={importCoupons}>
        <UploadOutcome kind="coupons" />
      </RoleGate>
      {/* For a viewer, the section has only the stock (N-203). */}
      <RoleGate to={listCoupons} otherwise={<StockCard />}>
        <CouponsTable newRow={newRow} />
      </RoleGate>
    </>
  );
}

function CodesUpload() {
  const { options, names } = useProductChoices();
  // A link from a product without codes chooses the product.
  const [productId, setProductId] = useState(new URLSearchParams(useSearch()).get('product') ?? '');
  return (
    <BulkUpload
      kind="coupons"
      body={{ productId }}
      hasProduct={productId !== ''}
      target={names.get(productId) ?? null}
    >
      <Select
        id="bulk-product"
        label={t('Select Product for Bulk Upload*')}
        required
        noStar
        prompt={t('Select a product')}
        options={options}
        value={productId}
        onChange={setProductId}
      />
      <Notes>
        <Note>{tNode('The CSV holds only {column}.', { column: <ColumnName name="coupon_code" /> })}</Note>
        <Note>{t('Choose the product here; it applies to every code in the file.')}</Note>
        <Note>{t('Codes are auto-generated if left blank.')}</Note>
        <Note>
          {tNode('Beside it the file may hold {column}, the last day a code works, such as 2026-12-31.', {
            column: <ColumnName name="use_by" />,
          })}
        </Note>
      </Notes>
    </BulkUpload>
  );
}

type ColumnsOrder = {
  names: Map<string, string>;
  reveals: Reveals;
  role: TeamRole | null;
  sorts: readonly string[];
};

/** `role` decides which hidden codes may be shown (R-IMP-42). `sorts` has the orders of the selection. */
function columnsWith({ names, reveals, role, sorts }: ColumnsOrder): Column<ListedCoupon>[] {
  return [
    column(t('Coupon Code'), (coupon) => reveals.shown.get(coupon.id) ?? formatCode(coupon), {
      as: 'strong',
      mono: true,
      draw: (coupon) =>
        coupon.coupon_code === null ? (
          <HiddenCode
            isLink
            coupon={coupon}
            reveals={reveals}
            mayShow={hasRole(role, 'manager') || coupon.state === 'held' || coupon.state === 'revoked'}
          />
        ) : (
          <ClearCode code={coupon.coupon_code} id={coupon.id} />
        ),
    }),
    // The list of codes is shown also if the names could not be loaded. Then the id tells the products apart.
    listProductColumn(names, (productId) => productId),
    {
      label: t('User Email'),
      as: 'line',
      // Tablets cut an address where its column ends, so the tooltip always has all of it. So has the person's page.
      words: ({ email }) => (email ? { ...cutWords(email, 40), full: email } : { text: '-' }),
      draw: ({ email }, { text }) =>
        email === null ? (
          <span className="text-ink-3">{text}</span>
        ) : (
          <span className="block md:max-lg:max-w-48 md:max-lg:whitespace-nowrap">
            <PersonLink to={email}>{text}</PersonLink>
          </span>
        ),
      awayOnPhones: ({ email }) => !email,
    },
    column(t('Status'), ({ state }) => formatState(state), {
      as: 'end',
      draw: (coupon) => (
        <span className="inline-flex items-center gap-x-2.5 gap-y-1 max-lg:flex-col max-lg:items-start max-md:items-end">
          <StateLink
            coupon={{ ...coupon, coupon_code: reveals.shown.get(coupon.id) ?? coupon.coupon_code }}
          />
          <UnknownTag coupon={coupon} />
        </span>
      ),
    }),
    column(t('Use by'), ({ use_by }) => (use_by ? formatDay(use_by) : ''), {
      ...(sorts.includes('use_by') ? { sort: 'use_by' } : { awayOnTablets: true }),
      labelOnPhones: true,
      awayOnPhones: ({ use_by }) => use_by === null,
    }),
    column(t('Assigned'), ({ assigned_at }) => (assigned_at ? formatDay(assigned_at) : ''), {
      sort: 'assigned',
      isDescending: true,
      labelOnPhones: true,
      awayOnTablets: true,
      awayOnPhones: ({ assigned_at }) => assigned_at === null,
    }),
  ];
}

/**
 * Returns true if codes are hidden from the user. Then the search finds only whole codes (R-IMP-43). For managers and
 * owners, any row shows this: of the page, or of the unfiltered list, which `DownloadList` loads anyway.
 */
function useMasked(rows: readonly ListedCoupon[], role: TeamRole | null, isFiltered: boolean): boolean {
  const may = useMay();
  const whole = useSmallestPage<ListedCoupon>(listCoupons.path, isFiltered && may(exportCodes));
  const [wasMasked, setMasked] = useState(false);
  const isHidden = ({ coupon_code }: ListedCoupon) => coupon_code === null;
  const isMasked = wasMasked || role === 'support' || [...rows, ...(whole?.rows ?? [])].some(isHidden);
  if (isMasked !== wasMasked) setMasked(isMasked);
  return isMasked;
}

const FILTERS = ['status', 'product_id', 'generated'];
// Only free codes can be sorted by their last day.
const SORTS = { available: ['use_by', 'assigned'], others: ['assigned'] };
const listStatuses = () =>
  [
    { value: '', label: t('All') },
    { value: 'available', label: t('Available') },
    { value: 'assigned', label: t('Assigned') },
    { value: 'revoked', label: t('Revoked') },
    { value: 'void', label: t('Void') },
    { value: 'expired', label: t('Expired') },
  ] as const;

const listOrigins = () => [
  { value: '', label: t('All sources') },
  { value: 'true', label: t('Generated by the portal') },
];

function CouponsTable({ newRow }: { newRow: string | undefined }) {
  const may = useMay();
  const search = new URLSearchParams(useSearch());
  // All other selections have one order only: newest first.
  const isSortable = search.get('product_id') && !search.get('q') && !search.get('generated');
  const sorts = search.get('status') === 'available' ? SORTS.available : SORTS.others;
  const list = useListState(FILTERS, { sorts: isSortable ? sorts : [] });
  const { query, page } = useList(listCoupons, list);
  const products = useProducts();
  const { names, isPending: lacksNames } = useProductNames(page.rows);
  const reveals = useReveals();
  const role = useTeamRole();
  const columns = columnsWith({ names, reveals, role, sorts });
  const isMasked = useMasked(page.rows, role, list.isNarrowed);
  const { status = '', product_id = '', generated = '' } = list.state.filters;
  const stock = useStock();
  // The statistics count all coupons. So during a search or with the filter `generated`, the options have no numbers.
  const counts = list.state.q === '' && generated === '' ? stock.countStatuses(product_id) : undefined;
  const selected = [
    ...products.options.filter(({ value }) => value === product_id),
    ...listStatuses().filter(({ value }) => value !== '' && value === status),
    ...listOrigins().filter(({ value }) => value !== '' && value === generated),
  ].map(({ label }) => label);
  return (
    <ListCard
      title={t('Existing Coupons')}
      of={['coupons', 'products']}
      words={{
        search: t('Search codes'),
        searchHint: isMasked ? t('Filter by whole code, product or email') : t('Start of a code or email'),
        loading: t('Loading coupons...'),
        notLoaded: t('We could not load the codes.'),
        empty: may(createCoupon)
          ? t('No coupons found. Create your first coupon above.')
          : t('No coupons found.'),
        noMatch: t('No codes match.'),
        emptyPage: t('There are no codes on this page.'),
        showAll: t('Show all codes'),
      }}
      {...{ list, query, page }}
      // The counts make the filters wider, which could move the rows.
      lacksNames={lacksNames || stock.isPending}
      filters={
        <Segments
          // Drawn anew with the counts, so that nothing in it moves.
          key={String(stock.isPending)}
          label={t('Status')}
          value={status}
          options={listStatuses().map((option) => ({ ...option, count: counts?.[option.value || 'all'] }))}
          onChange={(value) => list.filter('status', value)}
        />
      }
      moreFilters={
        // Both wrap together.
        <div className="flex flex-wrap gap-3 max-md:contents">
          <FilterSelect
            label={t('Only codes of')}
            value={product_id}
            options={[{ value: '', label: t('All products') }, ...products.options]}
            onChange={(value) => list.filter('product_id', value)}
          />
          <FilterSelect
            label={t('Origin of codes')}
            value={generated}
            options={listOrigins()}
            onChange={(value) => list.filter('generated', value)}
          />
        </div>
      }
      actions={
        query.isSuccess && (
          <RoleGate to={exportCodes}>
            <DownloadList
              name="codes.csv"
              list={listCoupons}
              exportCall={exportCodes}
              filters={list.state.filters}
              selected={selected}
              // The export ignores the search, so its number of rows is unknown during a search.
              total={list.state.q === '' ? page.total : undefined}
              formatRows={(count) => formatCodes(count, isMasked)}
              whole={t('All products, every status')}
            />
          </RoleGate>
        )
      }
      table={{ caption: t('Coupons'), columns, keyOf: ({ id }) => id, marked: newRow }}
    />
  );
}

const SAMPLE_CODE = 'TQWL-7K4M-92XF';

function CouponForm({ onSaved }: { onSaved: (key: string) => void }) {
  const { options } = useProductChoices();
  const form = useStaffForm({
    start: { coupon_code: '', product_id: '' },
    required: () => ({ coupon_code: t('Enter a code'), product_id: t('Please select a product') }),
    formatMissing: ({ product_id }) => product_id,
    schema: newCoupon,
    // This form has no field for the usage limit. JSON omits undefined values, so the request has no limit either.
    send: (coupon) => call(createCoupon, { body: { ...coupon, usage_limit: undefined } }),
    failed: t('Failed to create coupon'),
    refusedAt: { duplicate_code: 'coupon_code', product_not_found: 'product_id' },
    onDone: (coupon) => onSaved(coupon?.id ?? ''),
    done: t('Coupon created successfully'),
    changes: ['coupons'],
  });
  const { field } = form;
  return (
    <StaffForm form={form} save={t('Save Coupon')}>
      <TextField
        {...field('coupon_code')}
        label={t('Coupon Code')}
        hint={t('Enter a unique coupon code')}
        placeholder={SAMPLE_CODE}
        mono
        required
        autoComplete="off"
        spellCheck={false}
        maxLength={COUPON_CODE_MAX}
      />
      <Select
        {...field('product_id')}
        label={t('Product')}
        prompt={t('Select a product')}
        required
        options={options}
      />
    </StaffForm>
  );
}

/** If codes are hidden from every role, the file has only their last characters (N-82). */
function formatCodes(count: number, isMasked: boolean): string {
  return isMasked
    ? tCount(count, { one: 'Download {count} code (hints)', other: 'Download {count} codes (hints)' })
    : tCount(count, { one: 'Download {count} code', other: 'Download {count} codes' });
}
