// The pages of the section 'Coupons'.
import { say } from '../../../words/say.ts';

export const UPLOADS_PATH = '/admin/coupons/uploads';

/** Returns the path of the page of a code. */
export const couponPath = (id: string) => `/admin/coupons/${id}`;

export const listCouponTabs = () => [
  { path: '/admin/coupons', label: say('Codes') },
  { path: UPLOADS_PATH, label: say('Uploads') },
];
