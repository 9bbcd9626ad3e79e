// Registers the routes that read and export the audit log.
import { exportAudit as exportAuditCall, listAudit as listAuditCall } from '@portal/contract';
import type { Database } from '../../db/database.ts';
import type { Handle } from '../../http/handle.ts';
import { sendCsv } from '../../http/send-list.ts';
import type { CsvTools } from '../exports/exports.ts';
import { exportAudit, listAudit } from './audit.ts';

export function handleAudit(handle: Handle, { db, ...tools }: { db: Database } & CsvTools): void {
  handle(listAuditCall, async ({ query, caller }, reply) => {
    const { lines, next, looked_until } = await listAudit(db, { ...query, caller }, tools);
    if (next !== null) reply.header('x-next-cursor', next);
    if (looked_until !== null) reply.header('x-looked-until', looked_until);
    return lines;
  });

  handle(exportAuditCall, async ({ query, caller }, reply) => {
    const file = await exportAudit(db, { ...query, caller }, tools);
    return sendCsv(reply, 'activity', file);
  });
}
