// Finds the days that the access card shows as 'Valid' (N-106).
import type { Grant } from '@portal/contract';

/** A first and a last day; `until` is null without an end. */
export type ValidDays = { from: string; until: string | null };
type Span = ValidDays & { states: Grant['state'][] };

const DAY_MS = 24 * 60 * 60 * 1000;

/** Grants that were withdrawn, and those of archived cohorts, give no access on any day. */
export function isStanding({ state }: Pick<Grant, 'state'>): boolean {
  return state === 'live' || state === 'future' || state === 'over';
}

/**
 * Returns the days of access. Grants that overlap, or of which one begins on the day after another ends, count as one.
 * If there are several such spans, returns the one with a live grant, else the next, else the last. Returns null without
 * a grant.
 */
export function findValidDays(
  grants: readonly Pick<Grant, 'starts_on' | 'ends_on' | 'state'>[],
): ValidDays | null {
  const spans: Span[] = [];
  const inOrder = grants.filter(isStanding).sort((a, b) => (a.starts_on < b.starts_on ? -1 : 1));
  for (const { starts_on, ends_on, state } of inOrder) {
    const last = spans.at(-1);
    if (last && (last.until === null || starts_on <= dayAfter(last.until))) {
      last.states.push(state);
      if (last.until !== null && (ends_on === null || ends_on > last.until)) last.until = ends_on;
    } else spans.push({ from: starts_on, until: ends_on, states: [state] });
  }
  const shown =
    spans.find(({ states }) => states.includes('live')) ??
    spans.find(({ states }) => states.includes('future')) ??
    spans.at(-1);
  return shown ? { from: shown.from, until: shown.until } : null;
}

function dayAfter(day: string): string {
  return new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
}
