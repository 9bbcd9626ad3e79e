// Calls that write lists as CSV files; see admin-calls.ts.
import type * as contract from '@portal/contract';
import { GET, MANAGER, type StaffCall, VIEWER } from './staff-call.ts';

export const exportCodes: StaffCall<typeof contract.exportCodes> = {
  method: GET,
  path: '/api/admin/export/codes.csv',
  role: MANAGER,
};
export const exportUsers: StaffCall<typeof contract.exportUsers> = {
  method: GET,
  path: '/api/admin/export/users.csv',
  role: MANAGER,
};
export const exportRedemptions: StaffCall<typeof contract.exportRedemptions> = {
  method: GET,
  path: '/api/admin/export/redemptions.csv',
  role: VIEWER,
};
