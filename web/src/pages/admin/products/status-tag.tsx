// A tag with the status of a product. A live product has no tag.
import type { ProductStatus } from '@portal/contract';
import { Tag } from '../../../ui/tag.tsx';
import { sayStatus } from './status-words.ts';

export function StatusTag({ status }: { status: ProductStatus }) {
  if (status === 'live') return null;
  return <Tag tone={status === 'paused' ? 'warning' : 'neutral'}>{sayStatus(status)}</Tag>;
}
