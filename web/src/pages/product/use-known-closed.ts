// Finds out, before the learner presses 'Redeem Now', whether the product cannot be redeemed at present (R-LIFE-36). The
// ticket is then 'closed': it shows the reason and no button.
import type { Product } from '@portal/contract';
import { useQueryClient } from '@tanstack/react-query';
import { listMyProducts } from '../../calls.ts';
import { productIdOf } from '../../parts/product-id.ts';
import { useSession } from '../../parts/use-session.ts';
import { queryOf } from '../../queries.ts';
import { type Closed, closedByStatus, closedForLearner } from './closed.ts';

/**
 * Returns why the ticket is closed, or undefined if the ticket is open or its state is not known yet. For a visitor,
 * the status of the product decides. A learner may hold a code of a product that is closed for others. So for a
 * learner, the learner's list of products decides, if the home page has loaded this list.
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
