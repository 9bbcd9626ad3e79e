// Home for learners: their products, one card each (R-HOME-08 to R-HOME-18).
import type { MyProduct } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { listMyProducts } from '../../calls.ts';
import { LoadError } from '../../parts/load-error.tsx';
import { productIdOf } from '../../parts/product-id.ts';
import { useRetry } from '../../parts/use-retry.ts';
import { queryOf } from '../../queries.ts';
import { BenefitCard } from './benefit-card.tsx';
import { benefitState, byState } from './benefit-state.ts';
import { BenefitsLoading } from './benefits-loading.tsx';
import { BenefitsPage, GRID } from './benefits-page.tsx';
import { type Audience, EmptyState } from './empty-state.tsx';

export function Benefits({ audience, userId }: { audience: Audience; userId: string }) {
  const products = useQuery(queryOf(listMyProducts, {}, userId));
  const retry = useRetry(products);
  if (retry.failed) {
    return (
      <BenefitsPage>
        <LoadError what="your benefits" busy={retry.busy} onRetry={retry.onRetry} />
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
    <BenefitsPage aside={<p className="text-md text-ink-2 tabular-nums">{countWords(products.data)}</p>}>
      <ul className={GRID}>
        {products.data.toSorted(byState).map((product) => (
          <li key={productIdOf(product)}>
            <BenefitCard product={product} />
          </li>
        ))}
      </ul>
    </BenefitsPage>
  );
}

function countWords(products: MyProduct[]): string {
  const issued = products.filter((product) => benefitState(product) === 'issued').length;
  const tools = `${products.length.toLocaleString()} ${products.length === 1 ? 'tool' : 'tools'} on your plan`;
  return issued === 0
    ? tools
    : `${tools} · ${issued.toLocaleString()} ${issued === 1 ? 'code' : 'codes'} issued`;
}
