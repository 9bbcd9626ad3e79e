// The card `Access` on the record of a person: the products and codes, as on the access card of the page of all users.
import type { UseQueryResult } from '@tanstack/react-query';
import { Package } from 'lucide-react';
import { LoadError } from '../../../parts/load-error.tsx';
import { Card } from '../../../ui/card.tsx';
import { CardBody } from '../../../ui/card-body.tsx';
import { NoRows } from '../../../ui/no-rows.tsx';
import { say, sayCount } from '../../../words/say.ts';
import { useReveals } from '../hidden-codes/use-reveals.ts';
import { AsOf } from '../lists/as-of.tsx';
import { type Access, type AccessProduct, hasAccess } from '../users/access.ts';
import { AccessProducts } from '../users/access-products.tsx';
import styles from './person-page.module.css';
import { RowsPlace } from './rows-place.tsx';

export function PersonAccess({ query }: { query: UseQueryResult<Access> }) {
  const reveals = useReveals();
  const access = query.data;
  return (
    <Card
      title={say('Access')}
      sub={access && sayProductsNow(access.products)}
      action={<AsOf query={query} of={['users']} />}
    >
      {access ? (
        <div className={styles.products}>
          <AccessProducts
            access={access}
            reveals={reveals}
            none={
              <NoRows icon={Package}>
                <p>{say('This person has no products, and never had any.')}</p>
              </NoRows>
            }
          />
        </div>
      ) : query.isError ? (
        <CardBody>
          <LoadError
            words={say('We could not load the access of this person.')}
            busy={query.isFetching}
            onRetry={() => void query.refetch()}
          />
        </CardBody>
      ) : (
        <RowsPlace count={3} />
      )}
    </Card>
  );
}

/** Returns how many products the user has now, later, and no longer, for example '4 products now, 1 ended'. */
function sayProductsNow(products: readonly AccessProduct[]): string {
  if (products.length === 0) return say('No products');
  const now = products.filter(({ grants }) => grants.some(({ state }) => state === 'live')).length;
  const ahead = products.filter(hasAccess).length;
  const parts = [
    sayCount(now, { one: '{count} product now', other: '{count} products now' }),
    ...(ahead > now ? [say('{count} to come', { count: ahead - now })] : []),
    ...(products.length > ahead ? [say('{count} ended', { count: products.length - ahead })] : []),
  ];
  return parts.join(', ');
}
