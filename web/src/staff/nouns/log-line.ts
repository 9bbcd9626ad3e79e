// Texts for the parts of a line of the log: who acted, the product, the code, the time.
import { type AuditLine, REPLACE_REASONS } from '@portal/contract';
import { isolate } from '../../ui/text.tsx';
import { t } from '../../words/translate.ts';
import { formatDay, formatDayAndTime, isToday } from '../time.ts';

/** Names of products by id, for lines whose `detail` contains ids. */
export type ProductNames = ReadonlyMap<string, string>;

/** `actor` is the address of a member of the team, or one of three words. */
export function formatActor(actor: string): string {
  if (actor === 'learner') return t('learner');
  if (actor === 'operator') return t('operator');
  return actor === 'portal' ? t('portal') : actor;
}

/** Returns the name of the member of the team who acted, for a sentence. Without a name: as `formatActor` (N-76). */
export function formatName({ actor, actor_name }: AuditLine): string {
  return isolate(actor_name?.trim() || formatActor(actor));
}

export function formatProduct({ product }: AuditLine): string {
  return product === null ? t('a product') : isolate(product.name);
}

/** Returns the last characters of the line's code, such as '…K5M7'; null without them. */
export function formatSuffix({ coupon }: Pick<AuditLine, 'coupon'>): string | null {
  return coupon?.hint ? `…${coupon.hint}` : null;
}

/** Returns a reason of staff as it is, and a reason of the portal in words. */
export function formatReason(reason: string): string {
  if (reason === 'mistake') return t('a mistake');
  if (reason === 'dead') return t('must not be used any more');
  if (reason === 'duplicate') return t('it looks like another code');
  const [broken, late, used] = REPLACE_REASONS;
  if (reason === broken) return t('Does not work');
  if (reason === late) return t('Expired');
  if (reason === used) return t('Used by somebody else');
  return reason === 'expired' ? t('its last day has passed') : reason;
}

/** Returns a time and who acted then, for example '20 Nov 2025, 13:58, by ravi@example.org'. */
export function formatTimeAndActor(at: string, actor: string | null): string {
  const time = formatDayAndTime(at);
  return actor === null ? time : t('{time}, by {who}', { time, who: isolate(formatActor(actor)) });
}

/** Returns the heading of the lines of one day. Today's heading contains the word 'Today'. */
export function formatDayHeading(at: string): string {
  const day = formatDay(at);
  return isToday(at) ? t('Today, {day}', { day }) : day;
}

/** How far back a list of the log goes. `lookedUntil` is set if the server stopped before the page was full (R-TRAIL-04). */
export function formatExtent(oldest: AuditLine | undefined, lookedUntil: string | null): string {
  if (lookedUntil !== null) return t('Looked back to {day}.', { day: formatDay(lookedUntil) });
  return oldest ? t('Back to {time}', { time: formatDayAndTime(oldest.at) }) : '';
}
