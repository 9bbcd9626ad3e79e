// Method and path of each call that the pages make. The contract's schemas stay out of the bundle: they would
// cost 8 kB to learners who never need them. A test holds every entry to the contract's endpoint of that name.
import type * as contract from '@portal/contract';
import type { Endpoint } from '@portal/contract';

/** A call as the browser needs it. `Of` carries the endpoint's types and does not exist at run time. */
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

/** The address of a call, with `:name` parts filled in and encoded. */
export function pathOf(call: { path: string }, params: Record<string, string> = {}): string {
  return call.path.replace(/:(\w+)/g, (_part, name: string) => encodeURIComponent(params[name] ?? ''));
}
