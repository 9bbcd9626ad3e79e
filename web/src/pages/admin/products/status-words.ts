// Texts for the status of a product.
import type { ProductRecord, ProductStatus } from '@portal/contract';
import { sayDay } from '../../../words/days.ts';
import { sayDate } from '../../../words/format.ts';
import { say } from '../../../words/say.ts';

export function sayStatus(status: ProductStatus): string {
  return {
    live: say('Live'),
    paused: say('Paused'),
    scheduled: say('Scheduled'),
    ended: say('Ended'),
    archived: say('Archived'),
  }[status];
}

/** Returns sentences that say what learners can do in this status, and the day on which the status began or ends. */
export function explainStatus(product: ProductRecord): string {
  const { status, opens_on, closes_on } = product;
  if (status === 'archived')
    return `${sayArchived(product)} ${say('Only people who hold a code still see it.')}`;
  if (status === 'paused') return `${sayPaused(product)} ${say('Nobody is given a new code.')}`;
  if (status === 'ended') {
    const day = sayDay(closes_on ?? '');
    return say('Redeeming closed on {day}. Change ‘Redeeming closes’ to open it again.', { day });
  }
  if (status === 'scheduled') {
    const day = sayDay(opens_on ?? '');
    return say('Redeeming opens on {day}. Until then learners see the product and the day.', { day });
  }
  if (closes_on !== null)
    return say('Learners with access can redeem until {day}.', { day: sayDay(closes_on) });
  return say('Learners with access can redeem.');
}

function sayPaused({ paused_at, paused_by }: ProductRecord): string {
  const day = sayDayOf(paused_at);
  return paused_by === null
    ? say('Paused on {day}.', { day })
    : say('Paused on {day} by {who}.', { day, who: paused_by });
}

function sayArchived({ archived_at, archived_by }: ProductRecord): string {
  const day = sayDayOf(archived_at);
  return archived_by === null
    ? say('Archived on {day}.', { day })
    : say('Archived on {day} by {who}.', { day, who: archived_by });
}

function sayDayOf(time: string | null): string {
  return sayDate(new Date(time ?? 0), { day: 'numeric', month: 'short', year: 'numeric' });
}
