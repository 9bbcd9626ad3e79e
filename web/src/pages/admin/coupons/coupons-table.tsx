// The list of all coupons, with search, filters and pages (R-ACPN-22 to R-ACPN-29).
import { hasRole, type ListedCoupon, type TeamRole } from '@portal/contract';
import { useState } from 'react';
import { createCoupon, listCoupons } from '../../../admin-calls.ts';
import { exportCodes } from '../../../export-calls.ts';
import { Card } from '../../../ui/card.tsx';
import { type Column, cutWords } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { FilterSelect } from '../../../ui/filter-select.tsx';
import { Segments } from '../../../ui/segments.tsx';
import { sayDay } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';
import { HiddenCode } from '../hidden-codes/hidden-code.tsx';
import { sayCode } from '../hidden-codes/say-code.ts';
import { type Reveals, useReveals } from '../hidden-codes/use-reveals.ts';
import { AsOf } from '../lists/as-of.tsx';
import { ListBody } from '../lists/list-body.tsx';
import { couponListWords } from '../lists/list-words.ts';
import { useList, useListState } from '../lists/use-list.ts';
import { PersonLink } from '../people/person-link.tsx';
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
        ) : undefined,
    },
    {
      label: say('Product'),
      as: 'line',
      words: ({ product_id }) => cutWords(names.get(product_id) ?? product_id, 30),
    },
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
 * CODES_MASKED=on, only a row tells managers and owners so; a page without rows changes nothing.
 */
function useMasked(rows: readonly ListedCoupon[], role: TeamRole | null): boolean {
  const [wasMasked, setMasked] = useState(false);
  const isMasked = wasMasked || role === 'support' || rows.some(({ coupon_code }) => coupon_code === null);
  if (isMasked !== wasMasked) setMasked(isMasked);
  return isMasked;
}

const FILTERS = ['status', 'product_id'];
const listStatuses = () =>
  [
    { value: '', label: say('All'), figure: 'all' },
    { value: 'available', label: say('Available'), figure: 'available' },
    { value: 'assigned', label: say('Assigned'), figure: 'assigned' },
    { value: 'revoked', label: say('Revoked'), figure: 'revoked' },
    { value: 'void', label: say('Void'), figure: 'void' },
  ] as const;

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
  const isMasked = useMasked(page.rows, role);
  const words = couponListWords(may(createCoupon));
  const { status = '', product_id = '' } = list.state.filters;
  const stock = useStock();
  // The numbers beside the filter options come from the statistics of all coupons, not from the results of a search. So
  // no numbers are shown during a search.
  const counts = list.state.q === '' ? stock.countStatuses(product_id) : undefined;
  const selected = [
    ...products.options.filter(({ value }) => value === product_id),
    ...listStatuses().filter(({ value }) => value !== '' && value === status),
  ].map(({ label }) => label);
  const statuses = listStatuses().map(({ figure, ...option }) => ({ ...option, count: counts?.[figure] }));
  // The rows show the names of products. So the list is shown only after both the coupons and the products are loaded.
  const isPending = query.isPending || lacksNames;
  return (
    <Card title={say('Existing Coupons')} action={<AsOf query={query} of={['coupons', 'products']} />}>
      <ListBody
        words={isMasked ? { ...words, searchHint: sayWholeCode() } : words}
        list={list}
        query={{ isPending, isError: query.isError, refetch: query.refetch }}
        page={page}
        filters={
          <>
            <Segments
              label={say('Status')}
              value={status}
              options={statuses}
              onChange={(value) => list.filter('status', value)}
            />
            <FilterSelect
              label={say('Only codes of')}
              value={product_id}
              options={[{ value: '', label: say('All products') }, ...products.options]}
              onChange={(value) => list.filter('product_id', value)}
            />
          </>
        }
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
