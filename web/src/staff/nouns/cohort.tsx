// A cohort: its link, path, texts and options, and the fields for days of access.
import { type Cohort, type CohortName, isDay, listCohorts } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { queryOf } from '../../queries.ts';
import { DateField } from '../../ui/field.tsx';
import type { Column } from '../../ui/table.tsx';
import { StateMark } from '../../ui/tag.tsx';
import { plural, t } from '../../words/translate.ts';
import { column } from '../list.tsx';
import { formatDay } from '../time.ts';

export function CohortLink({ cohort: { cohort_id, name } }: { cohort: CohortName }) {
  return (
    <Link
      href={cohortPath(cohort_id)}
      className="inline-block max-w-full min-h-6 leading-6 rounded-xs wrap-anywhere text-ink underline [text-decoration-color:var(--line-control)] decoration-1 underline-offset-[0.2em] hover:[text-decoration-color:currentColor]"
    >
      <bdi>{name}</bdi>
    </Link>
  );
}

export const COHORTS_PATH = '/admin/users/cohorts';

export const cohortPath = (cohort_id: string) => `${COHORTS_PATH}/${cohort_id}`;

type GrantDays = Pick<Cohort['grants'][number], 'starts_on' | 'ends_on'>;

/**
 * Returns the days of all grants in a few words (R-COHORT-21). A day outside of the year of `now` has its year (N-107).
 * `today` is YYYY-MM-DD.
 */
export function formatAccess(grants: readonly GrantDays[], today: string, now = new Date()): string {
  const [first] = grants;
  if (first === undefined) return '-';
  const { starts_on, ends_on } = first;
  if (!haveSameDays(grants)) return t('mixed');
  const from = formatDay(starts_on, now);
  if (ends_on !== null) return t('{from} to {until}', { from, until: formatDay(ends_on, now) });
  return starts_on <= today ? t('always') : t('from {day}', { day: from });
}

/** True if all grants have the same days. */
export function haveSameDays(grants: readonly GrantDays[]): boolean {
  return grants.every(
    ({ starts_on, ends_on }) => starts_on === grants[0]?.starts_on && ends_on === grants[0].ends_on,
  );
}

export type CohortState = 'archived' | 'live' | 'scheduled' | 'ended' | 'empty';

/** Returns what the cohort does now. 'empty' is a cohort that gives no product. */
export function findState({ archived, grants }: Pick<Cohort, 'archived' | 'grants'>): CohortState {
  const has = (state: Cohort['grants'][number]['state']) => grants.some((grant) => grant.state === state);
  if (archived) return 'archived';
  if (has('live')) return 'live';
  if (has('future')) return 'scheduled';
  return grants.length > 0 ? 'ended' : 'empty';
}

export function formatCohortState(state: CohortState): string {
  return {
    archived: t('Archived'),
    live: t('Live'),
    scheduled: t('Scheduled'),
    ended: t('Ended'),
    empty: t('No products'),
  }[state];
}

const STATE_LOOKS = {
  archived: 'faint',
  live: 'accent',
  scheduled: 'ring',
  ended: 'faint',
  empty: 'ring',
} as const;

export function CohortStateMark({ state }: { state: CohortState }) {
  return <StateMark look={STATE_LOOKS[state]}>{formatCohortState(state)}</StateMark>;
}

export const formatMembers = plural('{count} member', '{count} members');

export const formatChosenCohorts = plural('{count} cohort selected', '{count} cohorts selected');

/** The cohorts that are not archived, also as options of a select. */
export function useCohorts() {
  const query = useQuery(queryOf(listCohorts));
  const options = (query.data ?? []).map(({ cohort_id, name }) => ({ value: cohort_id, label: name }));
  return { query, options };
}

export function useArchivedCohorts() {
  return useQuery<Cohort[]>({ queryKey: [`${listCohorts.path}?archived=true`] });
}

/** `ends_on` is '' if the access has no last day. */
export type Days = { starts_on: string; ends_on: string };

type DayField = { name: string; value: string; error: string | undefined; onChange: (value: string) => void };

/** Returns an error for each invalid day. */
export function checkDays({ starts_on, ends_on }: Days): Partial<Days> {
  if (!isDay(starts_on)) return { starts_on: t('Enter a day') };
  if (ends_on !== '' && !isDay(ends_on)) return { ends_on: t('Enter a day, or leave it empty') };
  if (ends_on !== '' && ends_on < starts_on) return { ends_on: t('The last day is before the first.') };
  return {};
}

/** The days of a grant as the fields show them, and as they `was` when the fields began. */
export function daysOf({ starts_on, ends_on }: GrantDays) {
  return { starts_on, ends_on: ends_on ?? '', was: { starts_on, ends_on } };
}

/** True if the access ends on an earlier day than before: only then a reason is required (N-98). */
export function endsEarlier(before: Pick<GrantDays, 'ends_on'>, { ends_on }: Pick<Days, 'ends_on'>): boolean {
  return ends_on !== '' && (before.ends_on === null || ends_on < before.ends_on);
}

/** The columns with the days of grants. */
export const listDayColumns = <Row extends GrantDays>(): Column<Row>[] => [
  column(t('From'), ({ starts_on }) => formatDay(starts_on), { labelOnPhones: true }),
  column(t('Until'), ({ ends_on }) => (ends_on ? formatDay(ends_on) : '-'), { labelOnPhones: true }),
];

type AccessDaysProps = {
  form: { field: (name: keyof Days) => DayField; values: Days };
  from?: string;
  until?: string;
};

export function AccessDays({ form, from = t('Access from'), until = t('Access until') }: AccessDaysProps) {
  return (
    <div className="grid grid-cols-[repeat(auto-fit,minmax(9.25rem,1fr))] gap-x-3 gap-y-4">
      <DateField {...form.field('starts_on')} label={from} required max={form.values.ends_on} />
      <DateField
        {...form.field('ends_on')}
        label={until}
        hint={t('Last day. Empty: no end.')}
        min={form.values.starts_on}
      />
    </div>
  );
}
