// Finds out why a ticket is closed, and the texts for this reason. A ticket is closed if the product exists, but this
// visitor or learner cannot redeem it now (R-LIFE-36).
import type { MyProduct, Product } from '@portal/contract';
import { sayDay } from '../../words/days.ts';
import { say } from '../../words/say.ts';

/** Error codes of the server for which the page shows a closed ticket instead of an error. */
const REASONS = [
  'product_not_open',
  'product_paused',
  'product_ended',
  'access_not_started',
  'access_ended',
  'code_revoked',
] as const;

/**
 * Why a ticket is closed. `day` is the day on which redeeming opens, or on which the access begins or ended. `day` is
 * missing for all other reasons.
 */
export type Closed = { kind: 'closed'; reason: (typeof REASONS)[number]; day?: string | null | undefined };

/**
 * Texts of a closed ticket. `from` is printed on the stub, the smaller piece of the ticket. `mayCome` is set if a code
 * may be issued later.
 */
export type ClosedWords = { title: string; message: string; from?: string; mayCome?: true };

/**
 * Returns the reason and its day for an error code of the server. Returns undefined if the error code is not one of
 * `REASONS`.
 */
export function closedByRefusal(code: string | undefined, day: string | undefined): Closed | undefined {
  const reason = REASONS.find((each) => each === code);
  return reason && { kind: 'closed', reason, day };
}

/** Returns why people without a code cannot redeem the product now. Returns undefined if the product is open. */
export function closedByStatus({ status, opens_on }: Product): Closed | undefined {
  if (status === 'scheduled') return { kind: 'closed', reason: 'product_not_open', day: opens_on };
  if (status === 'paused') return { kind: 'closed', reason: 'product_paused' };
  if (status === 'ended' || status === 'archived') return { kind: 'closed', reason: 'product_ended' };
  return undefined;
}

/**
 * Returns why a learner cannot redeem a product, from its entry in the learner's list: the product is paused, redeeming
 * begins on a later day, or the learner's code was revoked. Returns undefined in all other cases.
 */
export function closedForLearner({ state, from }: MyProduct, { opens_on }: Product): Closed | undefined {
  if (state === 'paused') return { kind: 'closed', reason: 'product_paused' };
  if (state === 'revoked') return { kind: 'closed', reason: 'code_revoked' };
  if (state !== 'not_yet') return undefined;
  return { kind: 'closed', reason: from === opens_on ? 'product_not_open' : 'access_not_started', day: from };
}

/** Returns the texts of a closed ticket. The day is formatted for `locale`. `email` is the address of the support. */
export function sayClosed({ reason, day }: Closed, locale: string, email: string): ClosedWords {
  const on = { day: day ? sayDay(day, undefined, locale) : '' };
  switch (reason) {
    case 'product_not_open':
      return {
        title: say('Not open yet'),
        message: say('Redeeming opens on {day}.', on),
        from: say('From {day}', on),
        mayCome: true,
      };
    case 'access_not_started':
      return {
        title: say('Not yet yours'),
        message: say('Your access to this benefit begins on {day}.', on),
        from: say('From {day}', on),
        mayCome: true,
      };
    case 'product_paused':
      return {
        title: say('Paused'),
        message: say('This benefit is paused for the moment. Please try again later.'),
        mayCome: true,
      };
    case 'product_ended':
      return {
        title: say('This offer has ended'),
        message: say('Codes of this benefit are no longer handed out.'),
      };
    case 'access_ended':
      return {
        title: say('Your access has ended'),
        message: say('Your access to this benefit ended on {day}. Please write to us at {email}', {
          ...on,
          email,
        }),
      };
    case 'code_revoked':
      return {
        title: say('Code withdrawn'),
        message: say('Your code of this benefit was withdrawn. Please write to us at {email}', { email }),
      };
  }
}
