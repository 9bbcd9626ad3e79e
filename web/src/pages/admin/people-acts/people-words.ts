// Texts about a number of people, and about a job that changes many people.
import type { JobState, PeopleActState } from '@portal/contract';
import { sayNumber } from '../../../words/format.ts';
import { say, sayCount, sayServed } from '../../../words/say.ts';

/** Returns '1 person' or '2 people'. */
export function sayPeople(count: number): string {
  return sayCount(count, { one: '{count} person', other: '{count} people' });
}

/**
 * Returns the first words of each dialog that ends access of people: how many there are, and how many of them hold a code.
 * `holding` is null until that number is there.
 */
export function sayWhom(count: number, holding: number | null): string {
  const people = sayPeople(count);
  if (holding === null) return say('{people}. They keep seeing the codes they hold.', { people });
  return say('{people}, of whom {holders}. They keep seeing the codes they hold.', {
    people,
    holders: sayCount(holding, { one: '{count} holds a code', other: '{count} hold a code' }),
  });
}

/** Returns the text for the error `count_changed`: there are `now` people, but the dialog had shown `before`. */
export function sayMorePeople(now: number, before: number): string {
  const counts = { now: sayNumber(now), before: sayNumber(before) };
  return say('There are {now} people now, not {before}. Please look again.', counts);
}

/** Returns the label of the button that adds people to a cohort. */
export function sayAddPeople(count: number): string {
  return sayCount(count, { one: 'Add {count} person', other: 'Add {count} people' });
}

/** Returns the label of the button that removes people from a cohort. */
export function sayRemovePeople(count: number): string {
  return sayCount(count, { one: 'Remove {count} person', other: 'Remove {count} people' });
}

/** Returns the title of a job that is running. */
export function sayRunning({ act, rows_total }: PeopleActState): string {
  if (act === 'join')
    return sayCount(rows_total, {
      one: 'Adding {count} person to the cohort',
      other: 'Adding {count} people to the cohort',
    });
  if (act === 'leave')
    return sayCount(rows_total, {
      one: 'Removing {count} person from the cohort',
      other: 'Removing {count} people from the cohort',
    });
  if (act === 'move')
    return sayCount(rows_total, { one: 'Moving {count} person', other: 'Moving {count} people' });
  return sayCount(rows_total, {
    one: 'Giving products to {count} person',
    other: 'Giving products to {count} people',
  });
}

/**
 * Returns how many people an act has changed, how many it had nothing to change for, and how many could not join because
 * they are in the most cohorts already.
 */
export function sayChanged(act: PeopleActState['act'], changed: number, others: number, full = 0): string {
  const { done, rest } = SAID[act];
  const parts = [done(changed), ...(others > 0 ? [rest(others)] : []), ...(full > 0 ? [sayFull(full)] : [])];
  return parts.reduce((said, gone) => say('{done}, {gone}', { done: said, gone }));
}

function sayFull(count: number): string {
  return sayCount(count, {
    one: '{count} is in 50 cohorts already, which is the most',
    other: '{count} are in 50 cohorts already, which is the most',
  });
}

const SAID: Record<PeopleActState['act'], Record<'done' | 'rest', (count: number) => string>> = {
  join: {
    done: (count) => sayCount(count, { one: '{count} person joined', other: '{count} people joined' }),
    rest: (count) =>
      sayCount(count, { one: '{count} was a member before', other: '{count} were members before' }),
  },
  leave: { done: sayRemoved, rest: sayNoMembers },
  move: {
    done: (count) => sayCount(count, { one: '{count} person moved', other: '{count} people moved' }),
    rest: sayNoMembers,
  },
  grant: {
    done: (count) =>
      sayCount(count, { one: '{count} person got the products', other: '{count} people got the products' }),
    rest: (count) => sayCount(count, { one: '{count} had them before', other: '{count} had them before' }),
  },
};

function sayRemoved(count: number): string {
  return sayCount(count, { one: '{count} person removed', other: '{count} people removed' });
}

function sayNoMembers(count: number): string {
  return sayCount(count, { one: '{count} was no member', other: '{count} were no members' });
}

function sayOutcome({ act, results }: PeopleActState): string {
  const { changed, total, full } = results ?? { changed: 0, total: 0, full: 0 };
  return sayChanged(act, changed, total - changed - full, full);
}

/** Returns how many people were done when a job failed or was cancelled, and the reason. */
export function sayStopped({ rows_done, rows_total, reason }: PeopleActState): string {
  const extent = say('Stopped after {done} of {total} people.', {
    done: sayNumber(rows_done),
    total: sayNumber(rows_total),
  });
  return reason ? `${extent} ${sayServed(reason)}` : extent;
}

/** The jobs that change many people, for `useJob`. */
export const PEOPLE_ACTS = {
  pick: (state: JobState): PeopleActState | undefined => (state.kind === 'act' ? state : undefined),
  sayOutcome,
  sayStopped,
  changes: 'users',
} as const;
