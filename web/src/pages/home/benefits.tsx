// The home page for learners: their products, one card for each (R-HOME-08 to R-HOME-18).
import type { MyProduct } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { listMyProducts } from '../../calls.ts';
import { lazyPart } from '../../parts/lazy-screen.tsx';
import { LoadError } from '../../parts/load-error.tsx';
import { openLogin } from '../../parts/login-store.ts';
import { productIdOf } from '../../parts/product-id.ts';
import { useRetry } from '../../parts/use-retry.ts';
import { queryOf } from '../../queries.ts';
import { say, sayCount } from '../../words/say.ts';
import { BenefitCard } from './benefit-card.tsx';
import { sortByState } from './benefit-state.ts';
import { BenefitsLoading } from './benefits-loading.tsx';
import { BenefitsPage, GRID } from './benefits-page.tsx';
import { type Audience, EmptyState } from './empty-state.tsx';

// This component is loaded only when it is needed, because few learners have no products.
const SignedInAs = lazyPart(
  () => import('../../parts/signed-in-as.tsx').then((m) => m.SignedInAs),
  <p className="mt-4 min-h-6" />,
);

export function Benefits({ audience, userId }: { audience: Audience; userId: string }) {
  const products = useQuery(queryOf(listMyProducts, {}, userId));
  const retry = useRetry(products);
  if (retry.failed) {
    return (
      <BenefitsPage>
        <LoadError
          words={say('We could not load your benefits.')}
          busy={retry.busy}
          onRetry={retry.onRetry}
        />
      </BenefitsPage>
    );
  }
  if (!products.data) return <BenefitsLoading />;
  return (
    <BenefitsList
      products={products.data}
      empty={
        <>
          <EmptyState audience={audience} />
          <SignedInAs className="mt-4" action={say('Use another address')} onSignedOut={openLogin} />
        </>
      }
    />
  );
}

type BenefitsListProps = {
  products: MyProduct[];
  /** Shown in place of the cards if the learner has no products. */
  empty: ReactNode;
};

export function BenefitsList({ products, empty }: BenefitsListProps) {
  if (products.length === 0) return <BenefitsPage>{empty}</BenefitsPage>;
  const now = new Date();
  return (
    <BenefitsPage
      aside={<p className="text-md text-ink-2 [font-variant-numeric:tabular-nums]">{countWords(products)}</p>}
    >
      <ul className={GRID}>
        {sortByState(products, now).map((product) => (
          <li key={productIdOf(product)}>
            <BenefitCard product={product} now={now} />
          </li>
        ))}
      </ul>
    </BenefitsPage>
  );
}

function countWords(products: MyProduct[]): string {
  const issued = products.filter((product) => product.state === 'issued').length;
  const tools = sayCount(products.length, {
    one: '{count} tool on your plan',
    other: '{count} tools on your plan',
  });
  if (issued === 0) return tools;
  return `${tools} · ${sayCount(issued, { one: '{count} code issued', other: '{count} codes issued' })}`;
}
