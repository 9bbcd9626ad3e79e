// Calls about one person or one code, of notes, and of the search of staff; see admin-calls.ts.
import type * as contract from '@portal/contract';
import { GET, MANAGER, POST, type StaffCall, SUPPORT, VIEWER } from './staff-call.ts';

export const getPerson: StaffCall<typeof contract.getPerson> = {
  method: GET,
  path: '/api/admin/people/:user_id',
  role: SUPPORT,
};
export const sendSignInMail: StaffCall<typeof contract.sendSignInMail> = {
  method: POST,
  path: '/api/admin/people/:user_id/sign-in-mail',
  role: SUPPORT,
};
export const sendCodeMail: StaffCall<typeof contract.sendCodeMail> = {
  method: POST,
  path: '/api/admin/people/:user_id/code-mail',
  role: SUPPORT,
};
export const retryMail: StaffCall<typeof contract.retryMail> = {
  method: POST,
  path: '/api/admin/people/:user_id/mail-retry',
  role: SUPPORT,
};
export const editPerson: StaffCall<typeof contract.editPerson> = {
  method: POST,
  path: '/api/admin/people/:user_id/edit',
  role: MANAGER,
};
export const getCoupon: StaffCall<typeof contract.getCoupon> = {
  method: GET,
  path: '/api/admin/coupons/:id',
  role: SUPPORT,
};
export const addNote: StaffCall<typeof contract.addNote> = {
  method: POST,
  path: '/api/admin/notes',
  role: SUPPORT,
};
export const findForStaff: StaffCall<typeof contract.findForStaff> = {
  method: GET,
  path: '/api/admin/find',
  role: VIEWER,
};
