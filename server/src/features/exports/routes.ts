// Registers the routes that export lists as CSV files and as workbooks of Excel.
import * as calls from '@portal/contract';
import type { Database } from '../../db/database.ts';
import type { Handle } from '../../http/handle.ts';
import { sendCsv, sendXlsx } from '../../http/send-list.ts';
import { exportCodes, exportRedemptions, exportUsers, type ListExportTools, toCsv } from './exports.ts';
import { writeXlsx } from './xlsx.ts';

export function handleExports(handle: Handle, { db, ...tools }: { db: Database } & ListExportTools): void {
  const xlsx = { format: 'xlsx' } as const;

  handle(calls.exportCodes, async ({ query, caller }, reply) =>
    sendCsv(reply, 'codes', toCsv(await exportCodes(db, { ...query, caller }, tools))),
  );

  handle(calls.exportCodesXlsx, async ({ query, caller }, reply) =>
    sendXlsx(reply, 'codes', writeXlsx(await exportCodes(db, { ...query, ...xlsx, caller }, tools))),
  );

  handle(calls.exportUsers, async ({ query, caller }, reply) =>
    sendCsv(reply, 'users', toCsv(await exportUsers(db, { ...query, caller }, tools))),
  );

  handle(calls.exportUsersXlsx, async ({ query, caller }, reply) =>
    sendXlsx(reply, 'users', writeXlsx(await exportUsers(db, { ...query, ...xlsx, caller }, tools))),
  );

  handle(calls.exportRedemptions, async ({ query, caller }, reply) =>
    sendCsv(reply, 'redemptions', toCsv(await exportRedemptions(db, { ...query, caller }, tools))),
  );

  handle(calls.exportRedemptionsXlsx, async ({ query, caller }, reply) =>
    sendXlsx(
      reply,
      'redemptions',
      writeXlsx(await exportRedemptions(db, { ...query, ...xlsx, caller }, tools)),
    ),
  );
}
