// The pages of the section 'Coupons'.
import { say } from '../../../words/say.ts';

export const UPLOADS_PATH = '/admin/coupons/uploads';

export const listCouponTabs = () => [
  { path: '/admin/coupons', label: say('Codes') },
  { path: UPLOADS_PATH, label: say('Uploads') },
];
