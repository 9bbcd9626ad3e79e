// Marks cached lists as outdated after a change (R-CACHE-10).
import {
  countPeople,
  getCoupon,
  getPerson,
  getProductRecord,
  getUserAccess,
  listAudit,
  listBatches,
  listCohorts,
  listCoupons,
  listFailedJobs,
  listImports,
  listProducts,
  listTeam,
  listUsers,
} from '@portal/contract';
import { listMyProducts } from '../../calls.ts';
import { queryClient } from '../../queries.ts';

// Paths of the data that every change affects: the dashboard's statistics and failed jobs, the log, and the products that
// the administrator has as a learner.
const ALWAYS = ['/api/admin/stats', listFailedJobs.path, listAudit.path, listMyProducts.path];

const PEOPLE = getPerson.path.replace(':user_id', '');

const CHANGED = {
  products: [listProducts.path, getProductRecord.path.replace(':id', '')],
  // The path of each single cohort begins with `listCohorts.path`. A grant to a cohort is access of its members.
  users: [
    ...[listUsers.path, countPeople.path, getUserAccess.path.replace(':email', '')],
    ...[PEOPLE, listCohorts.path],
  ],
  // All queries whose path begins with one of these are loaded again. The path of each single upload begins with
  // `listBatches.path`, so it needs no entry.
  coupons: [listCoupons.path, listBatches.path, PEOPLE, getCoupon.path.replace(':id', '')],
  team: [listTeam.path],
  imports: [listImports.path],
};

export type Changed = keyof typeof CHANGED;

/**
 * Invalidates all cached queries that depend on the changed data. TanStack Query then loads the queries of the current
 * page again.
 */
export function refreshLists(...changed: Changed[]): void {
  const prefixes = [...changed.flatMap((each) => CHANGED[each]), ...ALWAYS];
  void queryClient.invalidateQueries({
    predicate: ({ queryKey }) => prefixes.some((prefix) => String(queryKey[0]).startsWith(prefix)),
  });
}
