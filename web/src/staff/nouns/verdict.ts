// The sentence that says why a person would get a code of a product now, or not (R-COHORT-17).
import type { Explanation, Verdict } from '@portal/contract';
import { isolate } from '../../ui/text.tsx';
import { t, tServed } from '../../words/translate.ts';
import { formatDay } from '../time.ts';
import { formatActor, formatReason } from './log-line.ts';

/**
 * Returns why a person would get a code now, or not. A newer server may send a verdict that this page has no words for:
 * then returns the server's sentence.
 */
export function formatVerdict({ verdict, sentence, parts }: Explanation): string {
  const day = formatDay(parts.day ?? '');
  const source = formatSource(parts);
  const who = formatWho(parts);
  // Missing for those who may not see the reason (N-68).
  const reason = parts.reason && isolate(formatReason(parts.reason));
  const words: Partial<Record<Verdict, string>> = {
    unknown_person: formatUnknown(),
    holds_code: t('Holds a code since {day}.', { day }),
    code_revoked: reason
      ? t('The code was revoked on {day}: {reason}.', { day, reason })
      : t('The code was revoked on {day}.', { day }),
    no_grant: formatNoGrant(),
    future: t('Access begins on {day}, {source}.', { day, source }),
    over: t('Access ended on {day}, {source}.', { day, source }),
    withdrawn: reason
      ? t('Access was removed on {day} by {who}: {reason}.', { day, who, reason })
      : t('Access was removed on {day} by {who}.', { day, who }),
    product_archived: t('This product was archived on {day}.', { day }),
    product_paused: t('Has access, but the product is paused since {day}.', { day }),
    product_scheduled: t('Has access; redeeming opens on {day}.', { day }),
    product_ended: t('Has access, but redeeming closed on {day}.', { day }),
    sold_out: t('Has access, but no code is left.'),
    can_redeem: t('Can redeem now, {source}.', { source }),
  };
  return words[verdict] ?? tServed(sentence);
}

export function formatUnknown(): string {
  return t('Nobody is known by this address.');
}

export function formatNoGrant(): string {
  return t('No grant names this product, for this person or any of their cohorts.');
}

/** Returns by what the person has access, as the end of a sentence. */
function formatSource(parts: Explanation['parts']): string {
  const { source, cohort, purchase_id = '' } = parts;
  if (source === 'cohort') return t('with cohort {cohort}', { cohort: isolate(cohort?.name ?? '') });
  if (source === 'purchase') return t('by purchase {id}', { id: isolate(purchase_id) });
  const who = formatWho(parts);
  return source === 'all_products'
    ? t('all products, by {who}', { who })
    : t('given directly by {who}', { who });
}

function formatWho({ who = '' }: Explanation['parts']): string {
  return isolate(formatActor(who));
}
