// Words of the acts about lists that were downloaded as CSV files (R-IMP-23). A download has a line when it begins, and
// one with the number of rows when it ends. A file about an upload of codes has one line (R-IMP-46).
import type { AuditLine } from '@portal/contract';
import { Download } from 'lucide-react';
import { say, sayCount } from '../../../words/say.ts';
import { type Act, type Acts, countOf, sumOf } from './act.ts';

type Words = { begun: () => string; ended: (count: number) => string };

function exportAct({ begun, ended }: Words): Act {
  return {
    icon: Download,
    say: (line) => {
      if (!hasEnded(line)) return begun();
      const downloaded = ended(countOf(line, 'rows'));
      return line.detail.whole === false
        ? say('{what}, then the download broke off', { what: downloaded })
        : downloaded;
    },
  };
}

const hasEnded = ({ detail }: AuditLine) => detail.rows !== undefined;

export const EXPORT_ACTS: Acts = {
  'export.codes': exportAct({
    begun: () => say('download of codes as CSV begun'),
    ended: (count) =>
      sayCount(count, { one: '{count} code downloaded as CSV', other: '{count} codes downloaded as CSV' }),
  }),
  'export.users': exportAct({
    begun: () => say('download of people as CSV begun'),
    ended: (count) =>
      sayCount(count, { one: '{count} person downloaded as CSV', other: '{count} people downloaded as CSV' }),
  }),
  'export.file': {
    icon: Download,
    say: (line) => sayRows(countOf(line, 'rows')),
    sayMany: (lines) => sayRows(sumOf(lines, 'rows')),
  },
  'export.redemptions': exportAct({
    begun: () => say('download of redemptions as CSV begun'),
    ended: (count) =>
      sayCount(count, {
        one: '{count} redemption downloaded as CSV',
        other: '{count} redemptions downloaded as CSV',
      }),
  }),
};

function sayRows(count: number): string {
  return sayCount(count, {
    one: '{count} row of an upload of codes downloaded as CSV',
    other: '{count} rows of an upload of codes downloaded as CSV',
  });
}
