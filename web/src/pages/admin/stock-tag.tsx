// Tag for a product that has few codes left, or none.
import { CircleAlert, TriangleAlert } from 'lucide-react';
import { Icon } from '../../ui/icon.tsx';
import { Tag } from '../../ui/tag.tsx';
import { say } from '../../words/say.ts';

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
      {say('None left')}
    </Tag>
  ) : (
    <Tag tone="warning">
      <Icon of={TriangleAlert} size={13} strong />
      {say('Low')}
    </Tag>
  );
}
