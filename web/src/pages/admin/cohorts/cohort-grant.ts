// One product that a cohort gives: its name, and what a change of its days means.
import type { CohortRecord } from '@portal/contract';
import { say } from '../../../words/say.ts';

export type CohortGrant = CohortRecord['grants'][number];

/** Returns the name of the product. */
export function nameOf({ product_name }: CohortGrant): string {
  return product_name ?? say('All products');
}

/** True if 'Change all dates' changes the grant (N-96). */
export function isDatable({ state }: CohortGrant): boolean {
  return state === 'live' || state === 'future';
}

/** True if the access ends on an earlier day than before: only then a reason is required (N-98). */
export function endsEarlier({ ends_on: before }: CohortGrant, { ends_on }: { ends_on: string }): boolean {
  return ends_on !== '' && (before === null || ends_on < before);
}

/**
 * Returns the days that most of the grants have. Grants that are over do not count. Without grants, the days are '', which
 * is no day.
 */
export function findUsualDays(grants: readonly CohortGrant[]): { starts_on: string; ends_on: string } {
  const counts = new Map<string, number>();
  for (const { starts_on, ends_on } of grants.filter(isDatable)) {
    const days = `${starts_on} ${ends_on ?? ''}`;
    counts.set(days, (counts.get(days) ?? 0) + 1);
  }
  const [usual = ' '] = [...counts.keys()].sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
  const [starts_on = '', ends_on = ''] = usual.split(' ');
  return { starts_on, ends_on };
}
