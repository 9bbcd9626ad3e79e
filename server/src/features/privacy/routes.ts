// Registers the routes that erase a person, and that return all data about a person.
import { Readable } from 'node:stream';
import * as calls from '@portal/contract';
import type { Database } from '../../db/database.ts';
import type { Handle } from '../../http/handle.ts';
import { type EraseTools, erasePerson } from './erase.ts';
import { exportPerson } from './person-data.ts';

export function handlePrivacy(handle: Handle, { db, ...tools }: { db: Database } & EraseTools): void {
  handle(calls.erasePerson, ({ params, body, caller }) =>
    erasePerson(db, { named: params.user_id, ...body, actor: caller }, tools),
  );

  handle(calls.getPersonData, async ({ params, caller }, reply) => {
    const pieces = await exportPerson(db, { named: params.user_id, actor: caller });
    reply.type('application/json; charset=utf-8');
    reply.header('content-disposition', 'attachment; filename="person.json"');
    return Readable.from(pieces, { highWaterMark: 1 });
  });
}
