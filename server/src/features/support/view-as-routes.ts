// Registers the call that returns to a member of the team what a learner sees.
import { viewAsLearner as viewAsLearnerCall } from '@portal/contract';
import type { Database } from '../../db/database.ts';
import type { Handle } from '../../http/handle.ts';
import { type ViewTools, viewAsLearner } from './view-as.ts';

export function handleViewAs(handle: Handle, { db, ...tools }: { db: Database } & ViewTools): void {
  handle(viewAsLearnerCall, ({ params: { user_id }, caller }) =>
    viewAsLearner(db, { user_id, actor: caller.email }, tools),
  );
}
