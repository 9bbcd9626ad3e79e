// The words of acts on the access to products.
import type { AuditLine } from '@portal/contract';
import { Shield } from 'lucide-react';
import { isolate } from '../../../ui/isolate.ts';
import { say, sayCount } from '../../../words/say.ts';
import { type Acts, withReason } from './act.ts';
import { type ProductNames, sayName, sayProduct } from './line-words.ts';

export const ACCESS_ACTS: Acts = {
  'grant.create': { icon: Shield, say: sayGiven, sayMany: sayGivenMany },
  'grant.edit': {
    icon: Shield,
    say: (line) =>
      withReason(
        line.product === null
          ? say('days of the access to all products changed by {name}', { name: sayName(line) })
          : say('days of the access to {product} changed by {name}', {
              product: sayProduct(line),
              name: sayName(line),
            }),
        line,
      ),
    sayMany: ({ length }) =>
      sayCount(length, {
        one: 'days of {count} access changed',
        other: 'days of {count} accesses changed',
      }),
  },
  'grant.withdraw': {
    icon: Shield,
    say: (line) =>
      withReason(
        line.product === null
          ? say('access to all products removed by {name}', { name: sayName(line) })
          : say('access to {product} removed by {name}', { product: sayProduct(line), name: sayName(line) }),
        line,
      ),
    sayMany: ({ length }) =>
      sayCount(length, { one: '{count} access removed', other: '{count} accesses removed' }),
  },
  // Written by versions before grants had days.
  'user.grant_all': { icon: Shield, say: () => say('was given access to all products') },
};

/** Returns the ids of the products in the line's `detail`, or null for all products. */
function productsOf({ detail: { product_ids } }: AuditLine): string[] | null {
  return Array.isArray(product_ids) ? product_ids.map(String) : null;
}

function sayGiven(line: AuditLine, names: ProductNames): string {
  return sayGivenMany([line], names);
}

/**
 * Several lines are about one person who was given several products, or about many people who were given the same.
 * Otherwise, only the lines are counted.
 */
function sayGivenMany(lines: readonly AuditLine[], names: ProductNames): string {
  const lists = lines.map(productsOf);
  const people = new Set(lines.map(({ person, cohort }) => person?.user_id ?? cohort?.cohort_id));
  const isSame = new Set(lists.map((ids) => ids?.toSorted().join() ?? 'all')).size === 1;
  if (people.size > 1 && !isSame) {
    return sayCount(lines.length, {
      one: '{count} access given',
      other: '{count} accesses given',
    });
  }
  if (lists.includes(null)) return say('was given access to all products');
  const ids = [...new Set(lists.flatMap((list) => list ?? []))];
  const name = ids.length === 1 && ids[0] !== undefined ? names.get(ids[0]) : undefined;
  if (name !== undefined) return say('was given access to {product}', { product: isolate(name) });
  return sayCount(ids.length, {
    one: 'was given access to {count} product',
    other: 'was given access to {count} products',
  });
}
