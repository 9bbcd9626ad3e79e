// The words of acts on cohorts, on their members, and on many people at once.
import type { AuditLine } from '@portal/contract';
import { Shield, Users } from 'lucide-react';
import { isolate } from '../../../ui/isolate.ts';
import { say, sayCount } from '../../../words/say.ts';
import { type Acts, countOf, sumOf } from './act.ts';

export const COHORT_ACTS: Acts = {
  'cohort.create': { icon: Users, say: () => say('cohort added') },
  'cohort.edit': { icon: Users, say: () => say('cohort changed') },
  'cohort.archive': { icon: Users, say: () => say('cohort archived') },
  'cohort.unarchive': { icon: Users, say: () => say('cohort brought back') },
  'cohort.dates': { icon: Shield, say: () => say('days of all access of the cohort changed') },
  'member.add': {
    icon: Users,
    say: (line) => say('joined {cohort}', { cohort: sayCohort(line) }),
    sayMany: ({ length }) => sayJoined(length),
  },
  'member.remove': {
    icon: Users,
    say: (line) => say('was removed from {cohort}', { cohort: sayCohort(line) }),
    sayMany: ({ length }) => sayRemoved(length),
  },
  'member.move': { icon: Users, say: sayMoved, sayMany: ({ length }) => sayManyMoved(length) },
  'member.arrive': {
    icon: Users,
    say: (line) => sayArrived(countOf(line, 'count')),
    sayMany: (lines) => sayArrived(sumOf(lines, 'count')),
  },
  'user.act': { icon: Users, say: sayAct },
};

function sayCohort({ cohort }: AuditLine): string {
  return cohort === null ? say('a cohort') : isolate(cohort.name);
}

function sayMoved({ detail: { cohort } }: AuditLine): string {
  const [old, to] = Array.isArray(cohort) ? cohort : [];
  if (typeof old !== 'string' || typeof to !== 'string') return say('was moved to another cohort');
  return say('was moved from {old} to {new}', { old: isolate(old), new: isolate(to) });
}

/** Acts on all people of a filter, or on a list of people (R-IMP-31). */
function sayAct(line: AuditLine): string {
  const count = countOf(line, 'count');
  if (line.detail.act === 'join') return sayJoined(count);
  if (line.detail.act === 'leave') return sayRemoved(count);
  if (line.detail.act === 'move') return sayManyMoved(count);
  return sayCount(count, {
    one: '{count} person was given products',
    other: '{count} people were given products',
  });
}

function sayJoined(count: number): string {
  return sayCount(count, { one: '{count} person joined a cohort', other: '{count} people joined a cohort' });
}

function sayRemoved(count: number): string {
  return sayCount(count, {
    one: '{count} person removed from a cohort',
    other: '{count} people removed from a cohort',
  });
}

function sayArrived(count: number): string {
  return sayCount(count, {
    one: '{count} person came from another cohort',
    other: '{count} people came from another cohort',
  });
}

function sayManyMoved(count: number): string {
  return sayCount(count, {
    one: '{count} person moved to another cohort',
    other: '{count} people moved to another cohort',
  });
}
