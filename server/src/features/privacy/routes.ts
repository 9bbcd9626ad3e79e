// Registers the routes that erase a person, and that return all data about a person.
import * as calls from '@portal/contract';
import type { Database } from '../../db/database.ts';
import type { Handle } from '../../http/handle.ts';
import { type EraseTools, erasePerson } from './erase.ts';

export function handlePrivacy(handle: Handle, { db, ...tools }: { db: Database } & EraseTools): void {
  handle(calls.erasePerson, ({ params, body, caller }) =>
    erasePerson(db, { named: params.user_id, ...body, actor: caller }, tools),
  );
}
