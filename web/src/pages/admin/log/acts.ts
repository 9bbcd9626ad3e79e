// The words of each act of the log (R-TRAIL-51, R-TRAIL-53). acts.test.ts compares this catalogue to the acts that the
// server writes.
import type { AuditLine } from '@portal/contract';
import { Download, Mail, MailCheck, MailX, Package, Pencil, RefreshCw, StickyNote } from 'lucide-react';
import { say, sayCount } from '../../../words/say.ts';
import { ACCESS_ACTS } from './access-acts.ts';
import { ACCOUNT_ACTS } from './account-acts.ts';
import { type Act, type Acts, countOf, sumOf } from './act.ts';
import { CODE_ACTS } from './code-acts.ts';
import { COHORT_ACTS } from './cohort-acts.ts';
import { EXPORT_ACTS } from './export-acts.ts';
import { IMPORT_ACTS } from './import-acts.ts';
import { sayMail, saySent } from './mail-words.ts';

const ACTS: Acts = {
  ...ACCESS_ACTS,
  ...CODE_ACTS,
  ...COHORT_ACTS,
  ...ACCOUNT_ACTS,
  ...IMPORT_ACTS,
  ...EXPORT_ACTS,
  'product.create': { icon: Package, say: () => say('product added'), sayMany: sayProductsAdded },
  'product.edit': { icon: Pencil, say: () => say('product changed') },
  'product.pause': { icon: Package, say: () => say('product paused') },
  'product.resume': { icon: Package, say: () => say('product resumed') },
  'product.archive': { icon: Package, say: () => say('product archived') },
  'product.unarchive': { icon: Package, say: () => say('product brought back') },
  'mail.queue': { icon: Mail, say: (line) => say('{mail} queued', { mail: sayMail(line) }) },
  'mail.send': { icon: MailCheck, say: saySent },
  'mail.retry': {
    icon: Mail,
    say: (line) => say('{mail} not taken yet, the portal tries again', { mail: sayMail(line) }),
  },
  'mail.fail': {
    icon: MailX,
    isBad: true,
    sayTag: () => say('Failed'),
    say: (line) => say('{mail} not sent', { mail: sayMail(line) }),
  },
  'mail.bounce': {
    icon: MailX,
    isBad: true,
    sayTag: () => say('Bounced'),
    say: (line) => say('{mail} came back', { mail: sayMail(line) }),
  },
  'mail.allow': { icon: Mail, say: () => say('mails to this address are sent again') },
  'note.add': { icon: StickyNote, say: () => say('note') },
  'job.retry': {
    icon: RefreshCw,
    say: (line) => sayRetried(countOf(line, 'retried')),
    sayMany: (lines) => sayRetried(sumOf(lines, 'retried')),
  },
  'job.cancel': { icon: RefreshCw, say: () => say('job cancelled') },
  'tally.recount': { icon: RefreshCw, say: () => say('figures counted again') },
  'audit.prune': {
    icon: Download,
    say: (line) =>
      sayCount(countOf(line, 'lines'), {
        one: '{count} old line of the log moved to a file',
        other: '{count} old lines of the log moved to a file',
      }),
  },
  'audit.export': { icon: Download, say: () => say('log downloaded as CSV') },
};

/** Returns the words of an act. Returns undefined for an act without words; its name is then shown (R-TRAIL-53). */
export function findAct(action: string): Act | undefined {
  return Object.hasOwn(ACTS, action) ? ACTS[action] : undefined;
}

/** The names of all acts that have words. */
export const KNOWN_ACTS: readonly string[] = Object.keys(ACTS);

function sayRetried(count: number): string {
  return sayCount(count, { one: '{count} failed job tried again', other: '{count} failed jobs tried again' });
}

function sayProductsAdded({ length }: readonly AuditLine[]): string {
  return sayCount(length, { one: '{count} product added', other: '{count} products added' });
}
