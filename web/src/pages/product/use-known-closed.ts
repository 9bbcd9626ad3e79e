// Finds out before any redemption whether the ticket is closed (R-LIFE-36).
import type { Product } from '@portal/contract';
import { useQueryClient } from '@tanstack/react-query';
import { listMyProducts } from '../../calls.ts';
import { productIdOf } from '../../parts/product-id.ts';
import { useSession } from '../../parts/use-session.ts';
import { queryOf } from '../../queries.ts';
import { type Closed, closedByStatus, closedForLearner } from './closed.ts';

/**
 * Returns the state of a closed ticket, or undefined. For visitors the status of the product decides. For learners their
 * list of products decides, if home has read it: they may hold a code of a product that is closed for others.
 */
export function useKnownClosed(product: Product): Closed | undefined {
  const queries = useQueryClient();
  const session = useSession();
  if (session.status === 'signed-out') return closedByStatus(product);
  if (session.status === 'loading') return undefined;
  const { queryKey } = queryOf(listMyProducts, {}, session.userId);
  const known = queries.getQueryState(queryKey);
  const mine = known?.isInvalidated ? undefined : known?.data;
  const found = mine?.find((each) => productIdOf(each) === productIdOf(product));
  return found && closedForLearner(found, product);
}
