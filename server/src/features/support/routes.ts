// Registers the calls of support: the search field in the header, and what a learner sees.
import { findForStaff as findForStaffCall, viewAsLearner as viewAsLearnerCall } from '@portal/contract';
import type { Database } from '../../db/database.ts';
import type { Handle } from '../../http/handle.ts';
import { findForStaff, type ViewTools, viewAsLearner } from './support.ts';

export function handleFind(
  handle: Handle,
  { db, now, dayOf }: { db: Database; now: () => Date; dayOf: (at: Date) => string },
): void {
  handle(findForStaffCall, ({ query: { q = '' }, caller }) =>
    findForStaff(db, { q, caller, today: dayOf(now()) }),
  );
}

export function handleViewAs(handle: Handle, { db, ...tools }: { db: Database } & ViewTools): void {
  handle(viewAsLearnerCall, ({ params: { user_id }, caller }) =>
    viewAsLearner(db, { user_id, actor: caller.email }, tools),
  );
}
