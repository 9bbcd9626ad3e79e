// Finds the days that the access card shows as 'Valid' (N-106), and when access was removed.
import type { Grant } from '@portal/contract';

/** First and last day of access. `until` is null if the access has no last day. */
export type ValidDays = { from: string; until: string | null };
type Span = ValidDays & { states: Grant['state'][] };

const DAY_MS = 24 * 60 * 60 * 1000;

/** Returns false for a grant that gives no access on any day: it was withdrawn, or its cohort is archived. */
export function isStanding({ state }: Pick<Grant, 'state'>): boolean {
  return state === 'live' || state === 'future' || state === 'over';
}

/**
 * Returns the first and the last day of access. Grants whose days overlap, or follow each other without a gap, count as
 * one span of days. If there are several spans, returns the span with a live grant, else the next future span, else the
 * last past span. Returns null if no grant gives access on any day.
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

/** Returns the time at which a grant was withdrawn last, or null if no grant was withdrawn. */
export function findRemoval(grants: readonly Pick<Grant, 'withdrawn_at'>[]): string | null {
  const times = grants.map(({ withdrawn_at }) => withdrawn_at ?? '');
  return times.sort().at(-1) || null;
}

function dayAfter(day: string): string {
  return new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
}
