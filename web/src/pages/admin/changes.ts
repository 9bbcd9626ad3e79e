// Which lists a change makes old (R-CACHE-10).
import { getUserAccess, listCoupons, listFailedJobs, listProducts, listUsers } from '../../admin-calls.ts';
import { listMyProducts } from '../../calls.ts';
import { queryClient } from '../../queries.ts';

// The dashboard counts everything and shows what failed, and an administrator may be a learner too.
const ALWAYS = ['/api/admin/stats', listFailedJobs.path, listMyProducts.path];

const CHANGED = {
  products: [listProducts.path],
  users: [listUsers.path, getUserAccess.path.replace(':email', '')],
  coupons: [listCoupons.path],
};

export type Changed = keyof typeof CHANGED;

/** Fetches again what shows products, users or coupons; at once where it is on the screen. */
export function refreshLists(...changed: Changed[]): void {
  const prefixes = [...changed.flatMap((each) => CHANGED[each]), ...ALWAYS];
  void queryClient.invalidateQueries({
    predicate: ({ queryKey }) => prefixes.some((prefix) => String(queryKey[0]).startsWith(prefix)),
  });
}
