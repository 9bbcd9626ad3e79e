// The stock of a product: tag, text and counts.
import { getStats, type ProductRecord, type Stats } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { CircleAlert, TriangleAlert } from 'lucide-react';
import { useMemo } from 'react';
import { queryOf } from '../../queries.ts';
import { classes } from '../../ui/dom.ts';
import { Icon } from '../../ui/icon.tsx';
import { Tag } from '../../ui/tag.tsx';
import { plural, t, tCount } from '../../words/translate.ts';
import { formatDay } from '../time.ts';

/** A product is marked 'Low' if less than this share of its codes is left. */
const LOW_SHARE = 0.1;

export type StockTone = 'none' | 'low' | undefined;

/** `left` is null for a product with a shared code, which is never used up. */
export function stockToneOf({ left, total }: { left: number | null; total: number }): StockTone {
  if (left === null) return undefined;
  if (left === 0) return 'none';
  return left < total * LOW_SHARE ? 'low' : undefined;
}

export function StockTag({ tone }: { tone: StockTone }) {
  if (tone === undefined) return null;
  return tone === 'none' ? (
    <Tag tone="danger">
      <Icon of={CircleAlert} size={13} strong />
      {t('None left')}
    </Tag>
  ) : (
    <Tag tone="warning">
      <Icon of={TriangleAlert} size={13} strong />
      {t('Low')}
    </Tag>
  );
}

const LEFT_LOOKS = { none: 'text-danger-text', low: 'text-warning-text', enough: 'text-ink' };

/** The colour of the number of codes left, which is that of the tag. */
export const leftLook = (tone: StockTone) => LEFT_LOOKS[tone ?? 'enough'];

type Forecast = Pick<
  ProductRecord,
  'without_code' | 'short' | 'pace' | 'days_left' | 'expiring_first' | 'expires_on' | 'forecast_at'
> & { left: number | null };

/** With fewer days left, staff are mailed (R-FUN-08). */
const FEW_DAYS = 14;

/** True if codes should be added soon: none or few are left, not everybody can claim, or the codes last few days. */
export function needsCodes(product: Forecast & { total: number }): boolean {
  const { short, days_left } = product;
  if (stockToneOf(product) !== undefined || (short !== null && short > 0)) return true;
  return days_left !== null && days_left < FEW_DAYS;
}

/**
 * Returns the sentences about how long the codes of a product last, the firmest first (R-FUN-05, R-FUN-06). Returns none
 * if there is no count. `withPace` adds the pace.
 */
export function listForecast(product: Forecast, { withPace = false } = {}): string[] {
  const { left, without_code, short, pace, days_left, expiring_first, expires_on, forecast_at } = product;
  if (forecast_at === null || short === null) return [];
  const said: string[] = [];
  if (short > 0) said.push(formatShort(short));
  else if (without_code !== null && without_code > 0) said.push(t('enough for all who have access'));
  if (days_left !== null && pace !== null && left !== 0) {
    const lasts = formatDaysLeft(days_left);
    said.push(
      withPace ? t('{lasts} at the pace of the last 14 days ({pace} a day)', { lasts, pace }) : lasts,
    );
  }
  if (expiring_first !== null && expiring_first > 0 && expires_on !== null)
    said.push(`${formatExpiring(expiring_first)} (${formatDay(expires_on)})`);
  if (pace === null && (withPace || said.length === 0)) said.push(t('too few redemptions to say'));
  return said;
}

const formatShort = plural(
  '{count} code short if everybody claims',
  '{count} codes short if everybody claims',
);

const formatExpiring = plural('{count} will expire first', '{count} will expire first');

function formatDaysLeft(days: number): string {
  if (days === 0) return t('lasts less than a day');
  if (days > 365) return t('lasts more than a year');
  return tCount(days, { one: 'lasts about {count} day', other: 'lasts about {count} days' });
}

/** The sentences in one small paragraph. Nothing if there are none. */
export function ForecastLine({ of, className }: { of: Forecast; className?: string }) {
  const said = listForecast(of);
  if (said.length === 0) return null;
  return (
    <span
      className={classes(
        'block text-xs/5 text-ink-3 tabular-nums whitespace-normal first-letter:uppercase',
        className,
      )}
    >
      {said.join(' · ')}
    </span>
  );
}

type Product = Stats['stock'][number];
type StatusCounts = Record<'all' | 'available' | 'assigned' | 'revoked' | 'void' | 'expired', number>;

/** Returns undefined if there is no product. */
export function formatLeft(product: Product | undefined): string | undefined {
  if (!product) return undefined;
  return product.left === null ? t('shared code') : t('{count} left', { count: product.left });
}

/** `of` is one product, or the sums of all. Each code has one status, so the statuses add up to `all`. */
export function countStatuses(of: Product | Stats['coupons'] | undefined): StatusCounts | undefined {
  if (!of) return undefined;
  const { revoked, void: voided, expired } = of;
  const counts =
    'codes' in of
      ? { all: of.codes, available: of.free, assigned: of.held }
      : { all: of.total, available: of.available, assigned: of.assigned };
  return { ...counts, revoked, void: voided, expired };
}

/** Returns functions that return undefined until the statistics are loaded. */
export function useStock() {
  const { data: stats, isPending } = useQuery(queryOf(getStats));
  return useMemo(() => {
    const byId = new Map(stats?.stock.map((product) => [product.product_id, product]));
    return {
      isPending,
      /** All products that are not archived. `left` is null for a shared code. */
      products: stats?.stock ?? [],
      toneOf: (productId: string) => {
        const product = byId.get(productId);
        return product && stockToneOf(product);
      },
      formatLeft: (productId: string) => formatLeft(byId.get(productId)),
      /** '' counts the codes of all products. */
      countStatuses: (productId: string) =>
        countStatuses(productId === '' ? stats?.coupons : byId.get(productId)),
    };
  }, [stats, isPending]);
}
