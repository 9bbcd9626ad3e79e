// The operator's command for the audit log.
import { resolve } from 'node:path';
import { dayField } from '@portal/contract';
import { pruneAudit } from '../backup/prune-audit.ts';
import { createDayOf, startOfDay } from '../day.ts';
import { OperatorError, portalCommand, text } from './command.ts';

export const auditCommands = [
  portalCommand({
    name: 'audit prune',
    summary:
      'move the lines of the log before a day to a new file; lines of codes that somebody holds stay in the log',
    takes: {
      before: {
        form: '--before <day>',
        help: 'the first day whose lines stay, such as 2024-01-01',
        schema: dayField('--before'),
        wanted: '--before needs a day, such as 2024-01-01',
      },
      to: {
        form: '--to <file.gz>',
        help: 'the new file',
        schema: text,
        wanted: '--to needs one file, such as log-2023.gz',
      },
    },
    run: async ({ db, timeZone }, { before: day, to }, { folder }) => {
      if (day > createDayOf(timeZone)(new Date()))
        throw new OperatorError(`--before must not lie ahead (got: ${day}).`);
      const order = { before: startOfDay(day, timeZone), day, file: resolve(folder, to) };
      const lines = await pruneAudit(db, order);
      if (lines === 0) return `The log has no line before ${day} that can be removed. No file is written.`;
      const counted = lines === 1 ? 'One line' : `${lines.toLocaleString('en')} lines`;
      return `${counted} moved from the log to ${order.file}. It holds addresses: keep it where only you can read it.`;
    },
  }),
];
