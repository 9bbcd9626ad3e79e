// Method and path of each call of the admin pages. calls.ts does not contain these calls, because learners load that
// file.
import type * as contract from '@portal/contract';
import type { Call } from './calls.ts';

const GET = 'GET';
const POST = 'POST';

export const getStats: Call<typeof contract.getStats> = { method: GET, path: '/api/admin/stats' };

export const listProducts: Call<typeof contract.listProducts> = { method: GET, path: '/api/products' };
export const getProductRecord: Call<typeof contract.getProductRecord> = {
  method: GET,
  path: '/api/admin/products/:id',
};
export const editProduct: Call<typeof contract.editProduct> = {
  method: POST,
  path: '/api/admin/products/:id/edit',
};
export const setProductStatus: Call<typeof contract.setProductStatus> = {
  method: POST,
  path: '/api/admin/products/:id/status',
};
export const createProduct: Call<typeof contract.createProduct> = { method: POST, path: '/api/products' };

export const listUsers: Call<typeof contract.listUsers> = { method: GET, path: '/api/users' };
export const saveUser: Call<typeof contract.saveUser> = { method: POST, path: '/api/admin/users/single' };
export const getUserAccess: Call<typeof contract.getUserAccess> = {
  method: GET,
  path: '/api/admin/user-access/:email',
};

export const listCoupons: Call<typeof contract.listCoupons> = { method: GET, path: '/api/coupons' };
export const createCoupon: Call<typeof contract.createCoupon> = {
  method: POST,
  path: '/api/admin/coupons/single',
};
export const generateCoupon: Call<typeof contract.generateCoupon> = {
  method: POST,
  path: '/api/admin/generate-coupon',
};
export const regenerateCoupon: Call<typeof contract.regenerateCoupon> = {
  method: POST,
  path: '/api/admin/regenerate-coupon',
};

export const revokeCoupon: Call<typeof contract.revokeCoupon> = {
  method: POST,
  path: '/api/admin/coupons/:id/revoke',
};

export const revealCoupon: Call<typeof contract.revealCoupon> = {
  method: POST,
  path: '/api/admin/coupons/:id/reveal',
};

export const editGrant: Call<typeof contract.editGrant> = {
  method: POST,
  path: '/api/admin/grants/:id/edit',
};
export const withdrawGrant: Call<typeof contract.withdrawGrant> = {
  method: POST,
  path: '/api/admin/grants/:id/withdraw',
};

export const importProducts: Call<typeof contract.importProducts> = {
  method: POST,
  path: '/api/admin/products/bulk',
};
export const importUsers: Call<typeof contract.importUsers> = { method: POST, path: '/api/admin/users/bulk' };
export const importCoupons: Call<typeof contract.importCoupons> = {
  method: POST,
  path: '/api/admin/coupons/bulk',
};
export const listImports: Call<typeof contract.listImports> = { method: GET, path: '/api/admin/imports' };
export const getImport: Call<typeof contract.getImport> = { method: GET, path: '/api/admin/imports/:id' };
export const getImportErrors: Call<typeof contract.getImportErrors> = {
  method: GET,
  path: '/api/admin/imports/:id/errors.csv',
};
export const cancelImport: Call<typeof contract.cancelImport> = {
  method: POST,
  path: '/api/admin/imports/:id/cancel',
};

export const listBatches: Call<typeof contract.listBatches> = { method: GET, path: '/api/admin/batches' };
export const getBatch: Call<typeof contract.getBatch> = { method: GET, path: '/api/admin/batches/:id' };
export const voidBatch: Call<typeof contract.voidBatch> = {
  method: POST,
  path: '/api/admin/batches/:id/void',
};
export const setBatchUseBy: Call<typeof contract.setBatchUseBy> = {
  method: POST,
  path: '/api/admin/batches/:id/use-by',
};

export const listTeam: Call<typeof contract.listTeam> = { method: GET, path: '/api/admin/team' };
export const inviteMember: Call<typeof contract.inviteMember> = { method: POST, path: '/api/admin/team' };
export const setMemberRole: Call<typeof contract.setMemberRole> = {
  method: POST,
  path: '/api/admin/team/:user_id/role',
};
export const removeMember: Call<typeof contract.removeMember> = {
  method: POST,
  path: '/api/admin/team/:user_id/remove',
};
export const signOutMember: Call<typeof contract.signOutMember> = {
  method: POST,
  path: '/api/admin/team/:user_id/sign-out',
};

export const listFailedJobs: Call<typeof contract.listFailedJobs> = {
  method: GET,
  path: '/api/admin/jobs/failed',
};
export const retryFailedJobs: Call<typeof contract.retryFailedJobs> = {
  method: POST,
  path: '/api/admin/jobs/retry',
};
