// Registers the routes for support: the search of the staff pages, and the view of a learner's pages.
import { findForStaff as findForStaffCall, viewAsLearner as viewAsLearnerCall } from '@portal/contract';
import type { Clock } from '../../day.ts';
import type { Database } from '../../db/database.ts';
import type { Handle } from '../../http/handle.ts';
import { findForStaff, type ViewTools, viewAsLearner } from './support.ts';

export function handleFind(handle: Handle, { db, now, dayOf }: { db: Database } & Clock): void {
  handle(findForStaffCall, ({ query: { q = '' }, caller }) =>
    findForStaff(db, { q, caller, today: dayOf(now()) }),
  );
}

export function handleViewAs(handle: Handle, { db, ...tools }: { db: Database } & ViewTools): void {
  handle(viewAsLearnerCall, ({ params: { user_id }, caller }) =>
    viewAsLearner(db, { user_id, actor: caller.email }, tools),
  );
}
