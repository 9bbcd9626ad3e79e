// Method and path of the calls that the pages of visitors and learners make. This file has no schemas: with schemas, these
// pages would load zod, 8 kB that the pages do not use. The endpoints of the same names take method and path from here.
export const learnerCalls = {
  getSessionUser: { method: 'GET', path: '/api/auth/user' },
  checkAdmin: { method: 'GET', path: '/api/admin/check' },
  getProduct: { method: 'GET', path: '/api/products/:id' },
  listMyProducts: { method: 'GET', path: '/api/my/products' },
  redeemCoupon: { method: 'POST', path: '/api/redeem-secure' },
} as const;
