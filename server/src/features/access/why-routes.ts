// Registers the call that explains whether a person would get a code of a product now.
import { explainAccess } from '@portal/contract';
import type { Database } from '../../db/database.ts';
import type { Handle } from '../../http/handle.ts';
import { explainWhy, type ReadTools } from './read-access.ts';

export function handleWhy(handle: Handle, { db, ...tools }: { db: Database } & ReadTools): void {
  handle(explainAccess, ({ params }) => explainWhy(db, params, tools));
}
