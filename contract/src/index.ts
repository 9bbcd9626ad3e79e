// The single door of the contract: what browser and server promise each other.
import * as coupons from './coupons.ts';
import * as products from './products.ts';
import * as redemption from './redemption.ts';
import * as session from './session.ts';
import * as users from './users.ts';

export * from './brand.ts';
export * from './coupons.ts';
export * from './endpoint.ts';
export * from './errors.ts';
export * from './fields.ts';
export * from './products.ts';
export * from './redemption.ts';
export * from './session.ts';
export * from './users.ts';

/** Every call of the API, for those who walk all of them: the access test and the description. */
export const endpoints = [
  session.getSessionUser,
  session.checkAdmin,
  products.getProduct,
  products.listProducts,
  products.createProduct,
  products.listMyProducts,
  users.listUsers,
  users.saveUser,
  users.getUserAccess,
  coupons.listCoupons,
  coupons.createCoupon,
  coupons.generateCoupon,
  coupons.regenerateCoupon,
  redemption.redeemCoupon,
] as const;
