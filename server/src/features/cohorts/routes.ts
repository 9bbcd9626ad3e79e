// Registers the routes that read, create and edit cohorts, and that change their members.
import {
  addMembers as addMembersCall,
  createCohort as createCohortCall,
  editCohort as editCohortCall,
  getCohort,
  hasRole,
  listCohortProgress,
  listCohorts as listCohortsCall,
  moveMembers as moveMembersCall,
  removeMembers as removeMembersCall,
  setCohortDates as setCohortDatesCall,
} from '@portal/contract';
import { actOnMembers } from '../../bulk/people-acts.ts';
import type { UploadTools } from '../../bulk/run-bulk.ts';
import type { Database } from '../../db/database.ts';
import type { Handle } from '../../http/handle.ts';
import { listCohorts, listProgress } from './cohorts.sql.ts';
import { createCohort, editCohort, readCohort, setCohortDates } from './cohorts.ts';
import { addMembers, moveMembers, removeMembers } from './members.ts';

export function handleCohorts(handle: Handle, { db, ...tools }: { db: Database } & UploadTools): void {
  const today = () => tools.dayOf(tools.now());

  handle(listCohortsCall, ({ query: { archived } }) =>
    listCohorts(db, { archived: archived === 'true' }, today()),
  );

  handle(listCohortProgress, ({ query: { cohort_ids } }) => listProgress(db, cohort_ids.split(','), today()));

  handle(getCohort, async ({ params: { id }, caller }) => {
    const cohort = await readCohort(db, id, today());
    // Viewers see no addresses (R-TEAM-04).
    if (hasRole(caller.team_role, 'support')) return cohort;
    return { ...cohort, grants: cohort.grants.map((grant) => ({ ...grant, granted_by: null })) };
  });

  handle(createCohortCall, ({ body, caller }) =>
    createCohort(db, { actor: caller.email, cohort: body }, tools),
  );

  handle(editCohortCall, ({ params: { id }, body, caller }) =>
    editCohort(db, { cohort_id: id, actor: caller.email, edited: body }, tools),
  );

  handle(setCohortDatesCall, ({ params: { id }, body, caller }) =>
    setCohortDates(db, { cohort_id: id, actor: caller.email, ...body }, tools),
  );

  handle(addMembersCall, ({ params: { id }, body: { emails }, caller }) =>
    addMembers(db, { cohort_id: id, actor: caller.email, emails }),
  );

  handle(removeMembersCall, async ({ params: { id }, body: { emails, expected = 0, q }, caller }) => {
    const order = { cohort_id: id, actor: caller.email };
    if (emails !== 'all') return removeMembers(db, { ...order, emails });
    return { job_id: await actOnMembers(db, { ...order, to: null, expected, q }, tools) };
  });

  handle(moveMembersCall, async ({ params: { id }, body: { emails, to, expected = 0, q }, caller }) => {
    const order = { cohort_id: id, actor: caller.email, to };
    if (emails !== 'all') return moveMembers(db, { ...order, emails });
    return { job_id: await actOnMembers(db, { ...order, expected, q }, tools) };
  });
}
