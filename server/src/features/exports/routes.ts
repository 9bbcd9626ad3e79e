// Registers the routes that export lists as CSV files.
import * as calls from '@portal/contract';
import type { Database } from '../../db/database.ts';
import type { Handle } from '../../http/handle.ts';
import { sendCsv } from '../../http/send-list.ts';
import { exportCodes, exportRedemptions, exportUsers, type ListExportTools } from './exports.ts';

export function handleExports(handle: Handle, { db, ...tools }: { db: Database } & ListExportTools): void {
  handle(calls.exportCodes, async ({ query, caller }, reply) =>
    sendCsv(reply, 'codes', await exportCodes(db, { ...query, caller }, tools)),
  );

  handle(calls.exportUsers, async ({ query, caller }, reply) =>
    sendCsv(reply, 'users', await exportUsers(db, { ...query, caller }, tools)),
  );

  handle(calls.exportRedemptions, async ({ query, caller }, reply) =>
    sendCsv(reply, 'redemptions', await exportRedemptions(db, { ...query, caller }, tools)),
  );
}
