// Texts about the codes and mails of a person.
import type { PersonCoupon, PersonMail } from '@portal/contract';
import { isolate } from '../../../ui/isolate.ts';
import { sayDay } from '../../../words/days.ts';
import { say, sayServed } from '../../../words/say.ts';
import { sayActor, sayDayOf, sayTimeAndActor } from '../log/line-words.ts';

/** Returns what became of the code, its last day, and who assigned it, in one text. `today` is a day (YYYY-MM-DD). */
export function sayCodeStory(coupon: PersonCoupon, today: string): string {
  const isRevoked = coupon.state === 'revoked';
  const parts = isRevoked ? [sayRevocation(coupon)] : [sayPlace(coupon), sayLastDay(coupon, today)];
  return [...parts, sayAssignment(coupon)].filter((part) => part !== null).join(' · ');
}

function sayPlace({ current, replaced_at }: PersonCoupon): string {
  if (current) return say('Current code');
  return replaced_at === null
    ? say('Not the current code')
    : say('Replaced {day}', { day: sayDayOf(replaced_at) });
}

function sayLastDay({ use_by }: PersonCoupon, today: string): string | null {
  if (use_by === null) return null;
  const day = sayDay(use_by);
  return use_by < today ? say('Last day was {day}', { day }) : say('Use by {day}', { day });
}

function sayAssignment({ assigned_by }: PersonCoupon): string {
  return assigned_by === 'learner'
    ? say('Redeemed by the learner')
    : say('Assigned by {who}', { who: isolate(sayActor(assigned_by)) });
}

function sayRevocation({ revoked_at, revoked_by, revoke_reason }: PersonCoupon): string {
  const day = revoked_at === null ? '-' : sayDayOf(revoked_at);
  const act = revoked_by === null ? day : say('{time}, by {who}', { time: day, who: sayActor(revoked_by) });
  return revoke_reason === null ? act : `${act}: ${isolate(revoke_reason)}`;
}

/** Returns the name of a mail. A newer server may send a kind that this page has no words for. */
export function sayMailName({ kind, product }: PersonMail): string {
  const name = product && isolate(product.name);
  if (kind === 'sign-in') return say('Sign-in mail');
  if (kind === 'code') return name ? say('Your code for {product}', { product: name }) : say('Code mail');
  if (kind === 'team') return say('Invitation to the team');
  if (kind === 'stock')
    return name ? say('Low stock of {product}', { product: name }) : say('Low stock mail');
  return kind === 'notice' ? say('Mail to the owners') : say('Mail');
}

/** Returns when the mail got its state, who asked for it, and what the mail server said. */
export function sayMailStory({ at, by, words }: PersonMail): string {
  const time = sayTimeAndActor(at, by);
  return words === null ? time : `${time}: ${isolate(sayServed(words))}`;
}
