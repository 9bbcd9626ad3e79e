// The stock of a product: tag, text and counts.
import { getStats, type Stats } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { CircleAlert, TriangleAlert } from 'lucide-react';
import { useMemo } from 'react';
import { queryOf } from '../../queries.ts';
import { Icon } from '../../ui/icon.tsx';
import { Tag } from '../../ui/tag.tsx';
import { t } from '../../words/translate.ts';

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
