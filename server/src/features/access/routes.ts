// Registers the routes that give, edit, withdraw and explain access.
import {
  createGrants as createGrantsCall,
  editGrant as editGrantCall,
  explainAccess,
  withdrawGrant as withdrawGrantCall,
} from '@portal/contract';
import type { Clock } from '../../day.ts';
import type { Database } from '../../db/database.ts';
import type { Handle } from '../../http/handle.ts';
import { explainWhy } from './access.ts';
import { createGrants, editGrant, withdrawGrant } from './grants.ts';

export function handleGrants(handle: Handle, { db, ...tools }: { db: Database } & Clock): void {
  handle(createGrantsCall, ({ body, caller }) =>
    createGrants(db, { actor: caller.email, given: body }, tools),
  );

  handle(editGrantCall, ({ params: { id }, body: { reason = null, ...days }, caller }) =>
    editGrant(db, { id, actor: caller.email, reason, ...days }, tools),
  );

  handle(withdrawGrantCall, ({ params: { id }, body, caller }) =>
    withdrawGrant(db, { id, actor: caller.email, ...body }, tools),
  );
}

export function handleWhy(handle: Handle, { db, ...tools }: { db: Database } & Clock): void {
  handle(explainAccess, ({ params }) => explainWhy(db, params, tools));
}
