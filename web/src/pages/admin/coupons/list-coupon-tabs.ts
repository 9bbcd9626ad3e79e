// The pages of the section 'Coupons'.
import { say } from '../../../words/say.ts';

export const CODES_PATH = '/admin/coupons';
export const UPLOADS_PATH = '/admin/coupons/uploads';

/** Returns the path of the page of a code. */
export const couponPath = (id: string) => `/admin/coupons/${id}`;

export const listCouponTabs = () => [
  { path: CODES_PATH, label: say('Codes') },
  { path: UPLOADS_PATH, label: say('Uploads') },
];
