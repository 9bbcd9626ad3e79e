// The home page for learners: their products, one card for each (R-HOME-08 to R-HOME-18).
import type { MyProduct } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { listMyProducts } from '../../calls.ts';
import { LoadError } from '../../parts/load-error.tsx';
import { productIdOf } from '../../parts/product-id.ts';
import { useRetry } from '../../parts/use-retry.ts';
import { queryOf } from '../../queries.ts';
import { say, sayCount } from '../../words/say.ts';
import { BenefitCard } from './benefit-card.tsx';
import { sortByState } from './benefit-state.ts';
import { BenefitsLoading } from './benefits-loading.tsx';
import { BenefitsPage, GRID } from './benefits-page.tsx';
import { type Audience, EmptyState } from './empty-state.tsx';

export function Benefits({ audience, userId }: { audience: Audience; userId: string }) {
  const products = useQuery(queryOf(listMyProducts, {}, userId));
  const retry = useRetry(products);
  const now = new Date();
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
  if (products.data.length === 0) {
    return (
      <BenefitsPage>
        <EmptyState audience={audience} />
      </BenefitsPage>
    );
  }
  return (
    <BenefitsPage
      aside={
        <p className="text-md text-ink-2 [font-variant-numeric:tabular-nums]">{countWords(products.data)}</p>
      }
    >
      <ul className={GRID}>
        {sortByState(products.data, now).map((product) => (
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
