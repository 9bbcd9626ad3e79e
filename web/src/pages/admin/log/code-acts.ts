// The words of acts on codes and uploads of codes.
import type { AuditLine } from '@portal/contract';
import { CircleAlert, Eye, Plus, RotateCcw, Ticket, TicketX } from 'lucide-react';
import { say, sayCount } from '../../../words/say.ts';
import { type Acts, countOf, sumOf, withHint, withReason } from './act.ts';
import { sayName, sayProduct } from './line-words.ts';

export const CODE_ACTS: Acts = {
  'coupon.redeem': {
    icon: Ticket,
    say: (line) => withHint(say('took a code of {product}', { product: sayProduct(line) }), line),
    sayMany: ({ length }) => sayCount(length, { one: 'took {count} code', other: 'took {count} codes' }),
  },
  'coupon.generate': {
    icon: Ticket,
    say: (line) => withHint(say('was given a code of {product}', { product: sayProduct(line) }), line),
    sayMany: sayCodesGiven,
  },
  'coupon.regenerate': {
    icon: RotateCcw,
    say: (line) => withHint(say('was given another code of {product}', { product: sayProduct(line) }), line),
    sayMany: sayCodesGiven,
  },
  'coupon.replace': {
    icon: RotateCcw,
    say: (line) =>
      withReason(
        say('code of {product} replaced by {name}', { product: sayProduct(line), name: sayName(line) }),
        line,
      ),
    sayMany: ({ length }) =>
      sayCount(length, { one: '{count} code replaced', other: '{count} codes replaced' }),
  },
  'coupon.revoke': {
    icon: TicketX,
    say: (line) =>
      withReason(
        say('code of {product} withdrawn by {name}', { product: sayProduct(line), name: sayName(line) }),
        line,
      ),
    sayMany: ({ length }) =>
      sayCount(length, { one: '{count} code withdrawn', other: '{count} codes withdrawn' }),
  },
  'coupon.create': {
    icon: Plus,
    say: (line) => withHint(say('code added'), line),
    sayMany: ({ length }) => sayCount(length, { one: '{count} code added', other: '{count} codes added' }),
  },
  // Without a coupon, the line is about many codes of a file or a product.
  'coupon.void': {
    icon: TicketX,
    say: (line) =>
      line.coupon === null ? sayVoided(countOf(line, 'voided')) : withHint(say('code voided'), line),
    sayMany: (lines) => sayVoided(sumOf(lines, 'voided')),
  },
  'coupon.expire': {
    icon: TicketX,
    say: (line) => sayExpired(countOf(line, 'count')),
    sayMany: (lines) => sayExpired(sumOf(lines, 'count')),
  },
  'coupon.reveal': {
    icon: Eye,
    say: (line) => withHint(say('code shown'), line),
    sayMany: ({ length }) => sayCount(length, { one: '{count} code shown', other: '{count} codes shown' }),
  },
  'coupon.refused_reveal': {
    icon: CircleAlert,
    isBad: true,
    say: () => say('code not shown: too many codes were shown within a few minutes'),
  },
  'batch.void': {
    icon: TicketX,
    say: (line) => sayVoided(countOf(line, 'voided')),
    sayMany: (lines) => sayVoided(sumOf(lines, 'voided')),
  },
  'batch.use_by': {
    icon: Ticket,
    say: (line) => sayDated(countOf(line, 'changed')),
    sayMany: (lines) => sayDated(sumOf(lines, 'changed')),
  },
};

function sayCodesGiven({ length }: readonly AuditLine[]): string {
  return sayCount(length, { one: 'was given {count} code', other: 'was given {count} codes' });
}

function sayVoided(count: number): string {
  return sayCount(count, { one: '{count} code voided', other: '{count} codes voided' });
}

function sayExpired(count: number): string {
  return sayCount(count, { one: '{count} code expired', other: '{count} codes expired' });
}

function sayDated(count: number): string {
  return sayCount(count, { one: 'last day set for {count} code', other: 'last day set for {count} codes' });
}
