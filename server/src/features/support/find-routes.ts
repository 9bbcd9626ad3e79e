// Registers the call of the search field in the header of the staff pages.
import { findForStaff as findForStaffCall } from '@portal/contract';
import type { Database } from '../../db/database.ts';
import type { Handle } from '../../http/handle.ts';
import { findForStaff } from './find.ts';

export function handleFind(
  handle: Handle,
  { db, now, dayOf }: { db: Database; now: () => Date; dayOf: (at: Date) => string },
): void {
  handle(findForStaffCall, ({ query: { q = '' }, caller }) =>
    findForStaff(db, { q, caller, today: dayOf(now()) }),
  );
}
