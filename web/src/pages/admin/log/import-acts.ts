// The words of acts on uploads.
import type { AuditLine } from '@portal/contract';
import { CircleAlert, Upload } from 'lucide-react';
import { sayNumber } from '../../../words/format.ts';
import { say, sayCount } from '../../../words/say.ts';
import { type Acts, withReason } from './act.ts';

export const IMPORT_ACTS: Acts = {
  'import.start': {
    icon: Upload,
    say: sayStarted,
    sayMany: ({ length }) =>
      sayCount(length, { one: '{count} upload started', other: '{count} uploads started' }),
  },
  'import.done': {
    icon: Upload,
    say: ({ detail: { success, duplicates, failures } }) =>
      say('upload finished: {new} new, {duplicates} duplicates, {failed} failed', {
        new: sayNumber(Number(success ?? 0)),
        duplicates: sayNumber(Number(duplicates ?? 0)),
        failed: sayNumber(Number(failures ?? 0)),
      }),
    sayMany: ({ length }) =>
      sayCount(length, { one: '{count} upload finished', other: '{count} uploads finished' }),
  },
  'import.fail': {
    icon: CircleAlert,
    isBad: true,
    sayTag: () => say('Failed'),
    say: (line) => withReason(say('upload stopped'), line),
  },
  'import.check': { icon: Upload, say: () => say('file checked') },
  'import.discard': { icon: Upload, say: () => say('checked file discarded') },
  'import.undo': {
    icon: Upload,
    say: ({ detail: { people, products } }) =>
      Number(products ?? 0) > 0
        ? sayCount(Number(products), {
            one: 'upload taken back: {count} product archived',
            other: 'upload taken back: {count} products archived',
          })
        : sayCount(Number(people ?? 0), {
            one: 'upload taken back: {count} person lost access',
            other: 'upload taken back: {count} people lost access',
          }),
  },
  'import.cancel': { icon: Upload, say: () => say('upload cancelled') },
  // Written by versions whose imports had one line, at the start.
  'products.import': { icon: Upload, say: () => say('upload of products started') },
  'users.import': { icon: Upload, say: () => say('upload of people started') },
  'coupons.import': { icon: Upload, say: () => say('upload of codes started') },
};

function sayStarted({ detail: { kind } }: AuditLine): string {
  if (kind === 'products') return say('upload of products started');
  return kind === 'users' ? say('upload of people started') : say('upload of codes started');
}
