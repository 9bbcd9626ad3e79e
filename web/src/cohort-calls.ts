// Calls about cohorts, and about acts on many people; see admin-calls.ts.
import type * as contract from '@portal/contract';
import { GET, MANAGER, POST, type StaffCall, VIEWER } from './staff-call.ts';

export const listCohorts: StaffCall<typeof contract.listCohorts> = {
  method: GET,
  path: '/api/admin/cohorts',
  role: VIEWER,
};
export const getCohort: StaffCall<typeof contract.getCohort> = {
  method: GET,
  path: '/api/admin/cohorts/:id',
  role: VIEWER,
};
export const createCohort: StaffCall<typeof contract.createCohort> = {
  method: POST,
  path: '/api/admin/cohorts',
  role: MANAGER,
};
export const editCohort: StaffCall<typeof contract.editCohort> = {
  method: POST,
  path: '/api/admin/cohorts/:id/edit',
  role: MANAGER,
};
export const setCohortDates: StaffCall<typeof contract.setCohortDates> = {
  method: POST,
  path: '/api/admin/cohorts/:id/dates',
  role: MANAGER,
};
export const addMembers: StaffCall<typeof contract.addMembers> = {
  method: POST,
  path: '/api/admin/cohorts/:id/members',
  role: MANAGER,
};
export const removeMembers: StaffCall<typeof contract.removeMembers> = {
  method: POST,
  path: '/api/admin/cohorts/:id/members/remove',
  role: MANAGER,
};
export const moveMembers: StaffCall<typeof contract.moveMembers> = {
  method: POST,
  path: '/api/admin/cohorts/:id/members/move',
  role: MANAGER,
};
export const countPeople: StaffCall<typeof contract.countPeople> = {
  method: POST,
  path: '/api/admin/users/count',
  role: MANAGER,
};
export const actOnUsers: StaffCall<typeof contract.actOnUsers> = {
  method: POST,
  path: '/api/admin/users/act',
  role: MANAGER,
};
