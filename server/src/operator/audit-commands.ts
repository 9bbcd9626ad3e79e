// The operator's command for the audit log.
import { resolve } from 'node:path';
import { dayField } from '@portal/contract';
import { pruneAudit } from '../backup/prune-audit.ts';
import { createDayOf, startOfDay } from '../day.ts';
import { OperatorError, takeOption } from './arguments.ts';
import type { Command } from './commands.ts';

export const auditCommands: Record<string, Command> = {
  'audit prune': {
    usage: 'audit prune --before <day> --to <file.gz>',
    summary:
      'move the lines of the log before a day to a new file; lines of codes that somebody holds stay in the log',
    run: async ({ db, timeZone }, { args, folder }) => {
      const { value: named, rest } = takeOption(args, '--before');
      const { value: file, rest: more } = takeOption(rest, '--to');
      const day = dayField('--before').safeParse(named);
      if (!day.success)
        throw new OperatorError(`--before needs a day, such as 2024-01-01 (got: ${named || 'nothing'}).`);
      if (day.data > createDayOf(timeZone)(new Date()))
        throw new OperatorError(`--before must not lie ahead (got: ${day.data}).`);
      if (!file || more.length > 0)
        throw new OperatorError(
          `--to needs one file, such as log-2023.gz (got: ${[file, ...more].join(' ').trim() || 'nothing'}).`,
        );
      const order = { before: startOfDay(day.data, timeZone), day: day.data, file: resolve(folder, file) };
      const lines = await pruneAudit(db, order);
      if (lines === 0)
        return `The log has no line before ${day.data} that can be removed. No file is written.`;
      const counted = lines === 1 ? 'One line' : `${lines.toLocaleString('en')} lines`;
      return `${counted} moved from the log to ${order.file}. It holds addresses: keep it where only you can read it.`;
    },
  },
};
