// Invalidates cached lists after a change (R-CACHE-10).
import { getUserAccess, listCoupons, listFailedJobs, listProducts, listUsers } from '../../admin-calls.ts';
import { listMyProducts } from '../../calls.ts';
import { queryClient } from '../../queries.ts';

// Every change can affect the dashboard's counts and failed jobs. An administrator may also have products as a learner.
const ALWAYS = ['/api/admin/stats', listFailedJobs.path, listMyProducts.path];

const CHANGED = {
  products: [listProducts.path],
  users: [listUsers.path, getUserAccess.path.replace(':email', '')],
  coupons: [listCoupons.path],
};

export type Changed = keyof typeof CHANGED;

/** Invalidates all queries that depend on the changed data. Queries of the current page are fetched again at once. */
export function refreshLists(...changed: Changed[]): void {
  const prefixes = [...changed.flatMap((each) => CHANGED[each]), ...ALWAYS];
  void queryClient.invalidateQueries({
    predicate: ({ queryKey }) => prefixes.some((prefix) => String(queryKey[0]).startsWith(prefix)),
  });
}
