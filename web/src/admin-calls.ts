// Method, path and least role of each call of the admin pages. calls.ts does not contain these calls, because learners
// load that file. admin-calls.test.ts compares each entry to the contract's endpoint of the same name.
import type * as contract from '@portal/contract';
import { GET, MANAGER, OWNER, POST, type StaffCall, SUPPORT, VIEWER } from './staff-call.ts';

export const getStats: StaffCall<typeof contract.getStats> = {
  method: GET,
  path: '/api/admin/stats',
  role: VIEWER,
};

export const listProducts: StaffCall<typeof contract.listProducts> = {
  method: GET,
  path: '/api/products',
  role: VIEWER,
};
export const getProductRecord: StaffCall<typeof contract.getProductRecord> = {
  method: GET,
  path: '/api/admin/products/:id',
  role: VIEWER,
};
export const editProduct: StaffCall<typeof contract.editProduct> = {
  method: POST,
  path: '/api/admin/products/:id/edit',
  role: MANAGER,
};
export const setProductStatus: StaffCall<typeof contract.setProductStatus> = {
  method: POST,
  path: '/api/admin/products/:id/status',
  role: MANAGER,
};
export const createProduct: StaffCall<typeof contract.createProduct> = {
  method: POST,
  path: '/api/products',
  role: MANAGER,
};

export const listUsers: StaffCall<typeof contract.listUsers> = {
  method: GET,
  path: '/api/users',
  role: SUPPORT,
};
export const saveUser: StaffCall<typeof contract.saveUser> = {
  method: POST,
  path: '/api/admin/users/single',
  role: MANAGER,
};
export const getUserAccess: StaffCall<typeof contract.getUserAccess> = {
  method: GET,
  path: '/api/admin/user-access/:email',
  role: SUPPORT,
};
export const explainAccess: StaffCall<typeof contract.explainAccess> = {
  method: GET,
  path: '/api/admin/user-access/:email/why/:product_id',
  role: SUPPORT,
};

export const viewAsLearner: StaffCall<typeof contract.viewAsLearner> = {
  method: GET,
  path: '/api/admin/view-as/:user_id',
  role: SUPPORT,
};

export const listCoupons: StaffCall<typeof contract.listCoupons> = {
  method: GET,
  path: '/api/coupons',
  role: SUPPORT,
};
export const createCoupon: StaffCall<typeof contract.createCoupon> = {
  method: POST,
  path: '/api/admin/coupons/single',
  role: MANAGER,
};
export const generateCoupon: StaffCall<typeof contract.generateCoupon> = {
  method: POST,
  path: '/api/admin/generate-coupon',
  role: SUPPORT,
};
export const regenerateCoupon: StaffCall<typeof contract.regenerateCoupon> = {
  method: POST,
  path: '/api/admin/regenerate-coupon',
  role: SUPPORT,
};

export const revokeCoupon: StaffCall<typeof contract.revokeCoupon> = {
  method: POST,
  path: '/api/admin/coupons/:id/revoke',
  role: SUPPORT,
};

export const revealCoupon: StaffCall<typeof contract.revealCoupon> = {
  method: POST,
  path: '/api/admin/coupons/:id/reveal',
  role: SUPPORT,
};

export const createGrants: StaffCall<typeof contract.createGrants> = {
  method: POST,
  path: '/api/admin/grants',
  role: MANAGER,
};
export const editGrant: StaffCall<typeof contract.editGrant> = {
  method: POST,
  path: '/api/admin/grants/:id/edit',
  role: MANAGER,
};
export const withdrawGrant: StaffCall<typeof contract.withdrawGrant> = {
  method: POST,
  path: '/api/admin/grants/:id/withdraw',
  role: MANAGER,
};

export const importProducts: StaffCall<typeof contract.importProducts> = {
  method: POST,
  path: '/api/admin/products/bulk',
  role: MANAGER,
};
export const importUsers: StaffCall<typeof contract.importUsers> = {
  method: POST,
  path: '/api/admin/users/bulk',
  role: MANAGER,
};
export const importCoupons: StaffCall<typeof contract.importCoupons> = {
  method: POST,
  path: '/api/admin/coupons/bulk',
  role: MANAGER,
};
export const listImports: StaffCall<typeof contract.listImports> = {
  method: GET,
  path: '/api/admin/imports',
  role: VIEWER,
};
export const getImport: StaffCall<typeof contract.getImport> = {
  method: GET,
  path: '/api/admin/imports/:id',
  role: MANAGER,
};
export const getImportErrors: StaffCall<typeof contract.getImportErrors> = {
  method: GET,
  path: '/api/admin/imports/:id/errors.csv',
  role: MANAGER,
};
export const cancelImport: StaffCall<typeof contract.cancelImport> = {
  method: POST,
  path: '/api/admin/imports/:id/cancel',
  role: MANAGER,
};

export const listBatches: StaffCall<typeof contract.listBatches> = {
  method: GET,
  path: '/api/admin/batches',
  role: SUPPORT,
};
export const getBatch: StaffCall<typeof contract.getBatch> = {
  method: GET,
  path: '/api/admin/batches/:id',
  role: SUPPORT,
};
export const voidBatch: StaffCall<typeof contract.voidBatch> = {
  method: POST,
  path: '/api/admin/batches/:id/void',
  role: MANAGER,
};
export const setBatchUseBy: StaffCall<typeof contract.setBatchUseBy> = {
  method: POST,
  path: '/api/admin/batches/:id/use-by',
  role: MANAGER,
};

export const listTeam: StaffCall<typeof contract.listTeam> = {
  method: GET,
  path: '/api/admin/team',
  role: OWNER,
};
export const inviteMember: StaffCall<typeof contract.inviteMember> = {
  method: POST,
  path: '/api/admin/team',
  role: OWNER,
};
export const setMemberRole: StaffCall<typeof contract.setMemberRole> = {
  method: POST,
  path: '/api/admin/team/:user_id/role',
  role: OWNER,
};
export const removeMember: StaffCall<typeof contract.removeMember> = {
  method: POST,
  path: '/api/admin/team/:user_id/remove',
  role: OWNER,
};
export const signOutMember: StaffCall<typeof contract.signOutMember> = {
  method: POST,
  path: '/api/admin/team/:user_id/sign-out',
  role: OWNER,
};

export const listAudit: StaffCall<typeof contract.listAudit> = {
  method: GET,
  path: '/api/admin/audit',
  role: SUPPORT,
};
export const exportAudit: StaffCall<typeof contract.exportAudit> = {
  method: GET,
  path: '/api/admin/audit.csv',
  role: MANAGER,
};

export const listFailedJobs: StaffCall<typeof contract.listFailedJobs> = {
  method: GET,
  path: '/api/admin/jobs/failed',
  role: MANAGER,
};
export const retryFailedJobs: StaffCall<typeof contract.retryFailedJobs> = {
  method: POST,
  path: '/api/admin/jobs/retry',
  role: MANAGER,
};
