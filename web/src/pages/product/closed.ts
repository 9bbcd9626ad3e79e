// The states of the ticket in which nobody can redeem: which one applies, and its texts (R-LIFE-36).
import type { MyProduct, Product } from '@portal/contract';
import { sayDay } from '../../words/days.ts';
import { say } from '../../words/say.ts';

/** The error codes of the refusals that are a state of the ticket. */
const REASONS = [
  'product_not_open',
  'product_paused',
  'product_ended',
  'access_not_started',
  'access_ended',
  'code_revoked',
] as const;

/** `day`: the first day or the last one, if the reason has one. */
export type Closed = { kind: 'closed'; reason: (typeof REASONS)[number]; day?: string | null | undefined };

/** Texts of a closed ticket. `from`: printed on the stub. Without `mayCome`, no code will come on this ticket. */
export type ClosedWords = { title: string; message: string; from?: string; mayCome?: true };

/** Returns the state for a refusal with this error code, or undefined if the ticket has no state for it. */
export function closedByRefusal(code: string | undefined, day: string | undefined): Closed | undefined {
  const reason = REASONS.find((each) => each === code);
  return reason && { kind: 'closed', reason, day };
}

/** Returns the state for people who hold no code, or undefined if the product is open. */
export function closedByStatus({ status, opens_on }: Product): Closed | undefined {
  if (status === 'scheduled') return { kind: 'closed', reason: 'product_not_open', day: opens_on };
  if (status === 'paused') return { kind: 'closed', reason: 'product_paused' };
  if (status === 'ended' || status === 'archived') return { kind: 'closed', reason: 'product_ended' };
  return undefined;
}

/** Returns the state of a product in the list of the learner, or undefined if they may redeem or hold a code. */
export function closedForLearner({ state, from }: MyProduct, { opens_on }: Product): Closed | undefined {
  if (state === 'paused') return { kind: 'closed', reason: 'product_paused' };
  if (state === 'revoked') return { kind: 'closed', reason: 'code_revoked' };
  if (state !== 'not_yet') return undefined;
  return { kind: 'closed', reason: from === opens_on ? 'product_not_open' : 'access_not_started', day: from };
}

/** Returns the texts of a state, with its day in `locale`. */
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
