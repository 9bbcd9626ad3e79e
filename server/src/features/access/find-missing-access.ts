// Finds out why a user has no access to a product: the grant that a refusal names, and its day.
import type { UserGrant } from './user-access.sql.ts';

type Explaining = Pick<UserGrant, 'archived' | 'state' | 'starts_on' | 'ends_on' | 'withdrawn_at'>;

/**
 * `day` is the day on which the access begins ('future') or has ended ('over' and 'withdrawn'), as YYYY-MM-DD. `grant`
 * is the grant with this day.
 */
export type MissingAccess<T> = { state: 'future' | 'over' | 'withdrawn'; day: string; grant: T };

/**
 * `grants` are the grants of a user for a product, none of which is live. Of several, the first one to begin later
 * counts, else the last one to end, else the one that was withdrawn last (N-49). Grants of archived cohorts do not count
 * (N-47, N-63). Returns null if no grant counts. The refusal of a redemption and the explanation for staff both use this
 * function, so they agree (R-COHORT-41).
 */
export function findMissingAccess<T extends Explaining>(
  grants: readonly T[],
  dayOf: (at: Date) => string,
): MissingAccess<T> | null {
  const list = (state: MissingAccess<T>['state'], timeOf: (grant: T) => string | null) =>
    grants
      .filter((grant) => grant.state === state && !grant.archived)
      .map((grant) => ({ state, day: timeOf(grant) ?? '', grant }))
      .sort((a, b) => a.day.localeCompare(b.day));
  const [first] = list('future', ({ starts_on }) => starts_on);
  if (first !== undefined) return first;
  const ended = list('over', ({ ends_on }) => ends_on).at(-1);
  if (ended !== undefined) return ended;
  const withdrawn = list('withdrawn', ({ withdrawn_at }) => withdrawn_at).at(-1);
  return withdrawn === undefined ? null : { ...withdrawn, day: dayOf(new Date(withdrawn.day)) };
}
