// Sentences about mails: queued, sent, not accepted yet, refused, came back (R-TRAIL-30, R-TRAIL-31).
import type { AuditLine } from '@portal/contract';
import { say } from '../../../words/say.ts';
import { sayProduct } from './line-words.ts';

/** Returns the name of a mail within a sentence. `kind` of the line's `detail` names the kind of mail. */
export function sayMail(line: AuditLine): string {
  const { kind } = line.detail;
  if (kind === 'sign-in') return say('sign-in mail');
  if (kind === 'code') return say('‘Your code for {product}’', { product: sayProduct(line) });
  if (kind === 'team') return say('invitation to the team');
  if (kind === 'ready') return say('‘Your benefits are ready’');
  if (kind === 'stock') return say('mail about a low stock');
  return kind === 'notice' ? say('mail to the owners') : say('mail');
}

/** The mail server took the mail. Whether the mail arrived, the portal does not know. */
export function saySent(line: AuditLine): string {
  const { kind } = line.detail;
  if (kind === 'sign-in') return say('was sent the sign-in mail');
  if (kind === 'team') return say('was sent the invitation to the team');
  if (kind === 'stock') return say('was sent the mail about a low stock');
  if (kind === 'notice') return say('was sent the mail to the owners');
  return say('was sent {mail}', { mail: sayMail(line) });
}
