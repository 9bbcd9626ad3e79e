// Calls about one upload: its files, its import after a check, and taking it back; see admin-calls.ts.
import type * as contract from '@portal/contract';
import { GET, MANAGER, POST, type StaffCall } from './staff-call.ts';

export const startImport: StaffCall<typeof contract.startImport> = {
  method: POST,
  path: '/api/admin/imports/:id/start',
  role: MANAGER,
};
export const discardImport: StaffCall<typeof contract.discardImport> = {
  method: POST,
  path: '/api/admin/imports/:id/discard',
  role: MANAGER,
};
export const getImportDuplicates: StaffCall<typeof contract.getImportDuplicates> = {
  method: GET,
  path: '/api/admin/imports/:id/duplicates.csv',
  role: MANAGER,
};
export const getImportGenerated: StaffCall<typeof contract.getImportGenerated> = {
  method: GET,
  path: '/api/admin/imports/:id/generated.csv',
  role: MANAGER,
};
export const getImportUndo: StaffCall<typeof contract.getImportUndo> = {
  method: GET,
  path: '/api/admin/imports/:id/undo',
  role: MANAGER,
};
export const undoImport: StaffCall<typeof contract.undoImport> = {
  method: POST,
  path: '/api/admin/imports/:id/undo',
  role: MANAGER,
};
