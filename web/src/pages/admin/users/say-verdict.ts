// The sentence that says why a person would get a code of a product now, or not.
import type { Explanation } from '@portal/contract';
import { isolate } from '../../../ui/isolate.ts';
import { sayDay } from '../../../words/days.ts';
import { say, sayServed } from '../../../words/say.ts';
import { sayActor, sayReason } from '../log/line-words.ts';

/**
 * Returns the sentence in the current language. A newer server may send a verdict that this page has no words for: then
 * returns the server's sentence.
 */
export function sayVerdict({ verdict, sentence, parts }: Explanation): string {
  const day = sayDay(parts.day ?? '');
  const reason = parts.reason && isolate(sayReason(parts.reason));
  const source = saySource(parts);
  switch (verdict) {
    case 'unknown_person':
      return sayUnknown();
    case 'holds_code':
      return say('Holds a code since {day}.', { day });
    case 'code_revoked':
      // Without a reason for those who may not see it (N-68).
      return reason
        ? say('The code was withdrawn on {day}: {reason}.', { day, reason })
        : say('The code was withdrawn on {day}.', { day });
    case 'no_grant':
      return sayNoGrant();
    case 'future':
      return say('Access begins on {day}, {source}.', { day, source });
    case 'over':
      return say('Access ended on {day}, {source}.', { day, source });
    case 'withdrawn': {
      const who = sayWho(parts);
      return reason
        ? say('Access was removed on {day} by {who}: {reason}.', { day, who, reason })
        : say('Access was removed on {day} by {who}.', { day, who });
    }
    case 'product_archived':
      return say('This product was archived on {day}.', { day });
    case 'product_paused':
      return say('Has access, but the product is paused since {day}.', { day });
    case 'product_scheduled':
      return say('Has access; redeeming opens on {day}.', { day });
    case 'product_ended':
      return say('Has access, but redeeming closed on {day}.', { day });
    case 'sold_out':
      return say('Has access, but no code is left.');
    case 'can_redeem':
      return say('Can redeem now, {source}.', { source });
    default:
      return sayServed(sentence);
  }
}

export function sayUnknown(): string {
  return say('Nobody is known by this address.');
}

export function sayNoGrant(): string {
  return say('No grant names this product, for this person or any of their cohorts.');
}

/**
 * Returns the explanation for a user who got a code on `day` (YYYY-MM-DD). It has no English sentence: `sayVerdict` does
 * not need one.
 */
export function explainCode(day: string): Explanation {
  return { verdict: 'holds_code', sentence: '', parts: { day } };
}

/** Returns by what the person has access, as the end of a sentence. */
function saySource(parts: Explanation['parts']): string {
  const { source, cohort, purchase_id = '' } = parts;
  if (source === 'cohort') return say('with cohort {cohort}', { cohort: isolate(cohort?.name ?? '') });
  if (source === 'purchase') return say('by purchase {id}', { id: isolate(purchase_id) });
  const who = sayWho(parts);
  return source === 'all_products'
    ? say('all products, by {who}', { who })
    : say('given directly by {who}', { who });
}

function sayWho({ who = '' }: Explanation['parts']): string {
  return isolate(sayActor(who));
}
