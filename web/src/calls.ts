// Method and path of each call of the pages. The contract's schemas are not imported, because they would add 8 kB of
// unused JavaScript for learners. calls.test.ts compares each entry to the contract's endpoint of the same name.
import type * as contract from '@portal/contract';
import type { Endpoint } from '@portal/contract';

/**
 * Method and path of a call. `Of` is the type of the contract's endpoint. TypeScript takes the types of request and
 * reply from `Of`; no value of this type exists.
 */
export type Call<Of extends Endpoint> = Pick<Of, 'method' | 'path'> & { readonly types?: Of };

export const getSessionUser: Call<typeof contract.getSessionUser> = { method: 'GET', path: '/api/auth/user' };
export const checkAdmin: Call<typeof contract.checkAdmin> = { method: 'GET', path: '/api/admin/check' };
export const getProduct: Call<typeof contract.getProduct> = { method: 'GET', path: '/api/products/:id' };
export const listMyProducts: Call<typeof contract.listMyProducts> = {
  method: 'GET',
  path: '/api/my/products',
};
export const redeemCoupon: Call<typeof contract.redeemCoupon> = {
  method: 'POST',
  path: '/api/redeem-secure',
};

/** Returns the path of a call with its `:name` parts replaced by encoded values. */
export function pathOf(call: { path: string }, params: Record<string, string> = {}): string {
  return call.path.replace(/:(\w+)/g, (_part, name: string) => encodeURIComponent(params[name] ?? ''));
}
