// The list of all coupons, with search, filters and pages (R-ACPN-22 to R-ACPN-29).
import {
  createCoupon,
  exportCodes,
  hasRole,
  type ListedCoupon,
  listCoupons,
  type TeamRole,
} from '@portal/contract';
import { useState } from 'react';
import { Card } from '../../../ui/card.tsx';
import type { ChoiceProps } from '../../../ui/choice.ts';
import { type Column, cutWords } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { FilterSelect } from '../../../ui/filter-select.tsx';
import { Segments } from '../../../ui/segments.tsx';
import { sayDay } from '../../../words/days.ts';
import { say } from '../../../words/say.ts';
import { useAnyRow } from '../exports/use-total.ts';
import { ClearCode } from '../hidden-codes/clear-code.tsx';
import { HiddenCode } from '../hidden-codes/hidden-code.tsx';
import { sayCode } from '../hidden-codes/say-code.ts';
import { type Reveals, useReveals } from '../hidden-codes/use-reveals.ts';
import { AsOf } from '../lists/as-of.tsx';
import { ListBody } from '../lists/list-body.tsx';
import { couponListWords } from '../lists/list-words.ts';
import { type List, useList, useListState } from '../lists/use-list.ts';
import { PersonLink } from '../people/person-link.tsx';
import { listProductColumn } from '../products/product-column.tsx';
import { RoleGate, useMay } from '../role-gate.tsx';
import { useTeamRole } from '../use-admin-check.ts';
import { useProductNames } from '../use-product-names.ts';
import { useProducts } from '../use-products.ts';
import { useStock } from '../use-stock.ts';
import { StateLink, sayState } from './coupon-state.tsx';
import { DownloadCodes } from './download-codes.tsx';

/**
 * Returns the columns of the table. `hasUseBy` is true if a row has a last day, so that the column 'Use by' is needed.
 * `role` decides which hidden codes the user may have shown (R-IMP-42).
 */
function columnsWith(
  names: Map<string, string>,
  hasUseBy: boolean,
  reveals: Reveals,
  role: TeamRole | null,
): Column<ListedCoupon>[] {
  const useBy: Column<ListedCoupon> = {
    label: say('Use by'),
    as: 'line',
    words: ({ use_by }) => ({ text: use_by === null ? '-' : sayDay(use_by) }),
    labelOnPhones: true,
    awayOnPhones: ({ use_by }) => use_by === null,
  };
  return [
    {
      label: say('Coupon Code'),
      as: 'strong',
      mono: true,
      words: (coupon) => ({ text: reveals.shown.get(coupon.id) ?? sayCode(coupon) }),
      draw: (coupon) =>
        coupon.coupon_code === null ? (
          <HiddenCode
            coupon={coupon}
            reveals={reveals}
            mayShow={hasRole(role, 'manager') || coupon.state === 'held' || coupon.state === 'revoked'}
          />
        ) : (
          <ClearCode code={coupon.coupon_code} />
        ),
    },
    // The list of codes is shown also if the names could not be loaded. Then the id tells the products apart.
    listProductColumn(names, (productId) => productId),
    {
      label: say('User Email'),
      as: 'line',
      words: ({ email }) => cutWords(email || '-', 40),
      draw: ({ email }, { text }) => (email === null ? text : <PersonLink to={email}>{text}</PersonLink>),
      awayOnPhones: ({ email }) => !email,
    },
    ...(hasUseBy ? [useBy] : []),
    {
      label: say('Status'),
      as: 'end',
      words: ({ state }) => ({ text: sayState(state) }),
      draw: (coupon) => <StateLink coupon={coupon} />,
    },
  ];
}

const sayWholeCode = () => say('Filter by whole code, product or email');

/**
 * Returns true if the list hides codes from the user. Then the search finds only whole codes (R-IMP-43). With
 * CODES_MASKED=on, only a row tells managers and owners so. A page without rows changes nothing, and if it is filtered,
 * a row of the whole list tells: `DownloadCodes` asks for it in any case.
 */
function useMasked(rows: readonly ListedCoupon[], role: TeamRole | null, isFiltered: boolean): boolean {
  const may = useMay();
  const anyRow = useAnyRow<ListedCoupon>(listCoupons.path, isFiltered && may(exportCodes));
  const [wasMasked, setMasked] = useState(false);
  const isHidden = ({ coupon_code }: ListedCoupon) => coupon_code === null;
  const isMasked =
    wasMasked || role === 'support' || rows.some(isHidden) || (anyRow !== undefined && isHidden(anyRow));
  if (isMasked !== wasMasked) setMasked(isMasked);
  return isMasked;
}

const FILTERS = ['status', 'product_id', 'generated'];
const listStatuses = () =>
  [
    { value: '', label: say('All'), figure: 'all' },
    { value: 'available', label: say('Available'), figure: 'available' },
    { value: 'assigned', label: say('Assigned'), figure: 'assigned' },
    { value: 'revoked', label: say('Revoked'), figure: 'revoked' },
    { value: 'void', label: say('Void'), figure: 'void' },
    { value: 'expired', label: say('Expired'), figure: 'expired' },
  ] as const;

const listOrigins = () => [
  { value: '', label: say('Every origin') },
  { value: 'true', label: say('Generated by the portal') },
];

export function CouponsTable({ newRow }: { newRow: string | undefined }) {
  const may = useMay();
  const list = useListState(FILTERS);
  const { query, page } = useList(listCoupons, list);
  const products = useProducts();
  const hasUseBy = page.rows.some(({ use_by }) => use_by !== null);
  const { names, isPending: lacksNames } = useProductNames(page.rows);
  const reveals = useReveals();
  const role = useTeamRole();
  const columns = columnsWith(names, hasUseBy, reveals, role);
  const isMasked = useMasked(page.rows, role, list.isNarrowed);
  const words = couponListWords(may(createCoupon));
  const { status = '', product_id = '', generated = '' } = list.state.filters;
  const stock = useStock();
  // The numbers beside the filter options come from the statistics of all coupons, not from the results of a search. So
  // no numbers are shown during a search, and none beside generated codes.
  const counts = list.state.q === '' && generated === '' ? stock.countStatuses(product_id) : undefined;
  const selected = [
    ...products.options.filter(({ value }) => value === product_id),
    ...listStatuses().filter(({ value }) => value !== '' && value === status),
    ...listOrigins().filter(({ value }) => value !== '' && value === generated),
  ].map(({ label }) => label);
  // The rows show the names of products. So the list is shown only after both the coupons and the products are loaded.
  const isPending = query.isPending || lacksNames;
  return (
    <Card title={say('Existing Coupons')} action={<AsOf query={query} of={['coupons', 'products']} />}>
      <ListBody
        words={isMasked ? { ...words, searchHint: sayWholeCode() } : words}
        list={list}
        query={{ isPending, isError: query.isError, refetch: query.refetch }}
        page={page}
        filters={<StateFilter list={list} counts={counts} />}
        moreFilters={<CouponFilters list={list} products={products.options} />}
        acts={
          query.isSuccess && (
            <RoleGate to={exportCodes}>
              <DownloadCodes
                filters={list.state.filters}
                selected={selected}
                total={list.state.q === '' ? page.total : undefined}
                isMasked={isMasked}
              />
            </RoleGate>
          )
        }
      >
        <DataTable
          caption={say('Coupons')}
          columns={columns}
          rows={page.rows}
          keyOf={({ id }) => id}
          busy={query.isPlaceholderData}
          marked={newRow}
        />
      </ListBody>
    </Card>
  );
}

type StateFilterProps = {
  list: List;
  /** Number of codes in each state; undefined if the numbers are unknown. */
  counts: ReturnType<ReturnType<typeof useStock>['countStatuses']>;
};

function StateFilter({ list, counts }: StateFilterProps) {
  return (
    <Segments
      label={say('Status')}
      value={list.state.filters.status ?? ''}
      options={listStatuses().map(({ figure, ...option }) => ({ ...option, count: counts?.[figure] }))}
      onChange={(value) => list.filter('status', value)}
    />
  );
}

function CouponFilters({ list, products }: { list: List; products: ChoiceProps['options'] }) {
  const { product_id = '', generated = '' } = list.state.filters;
  return (
    <>
      <FilterSelect
        label={say('Only codes of')}
        value={product_id}
        options={[{ value: '', label: say('All products') }, ...products]}
        onChange={(value) => list.filter('product_id', value)}
      />
      <FilterSelect
        label={say('Origin of codes')}
        value={generated}
        options={listOrigins()}
        onChange={(value) => list.filter('generated', value)}
      />
    </>
  );
}
