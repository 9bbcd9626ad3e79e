// The product page: what the offer is, the ticket that holds the code, how to redeem it (R-PROD-01 to R-PROD-31).
import type { Product } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { isNotFound } from '../../api-error.ts';
import { getProduct } from '../../calls.ts';
import { LoadError } from '../../parts/load-error.tsx';
import { Page } from '../../parts/page.tsx';
import { productIdOf } from '../../parts/product-id.ts';
import { useSession } from '../../parts/use-session.ts';
import { queryOf } from '../../queries.ts';
import { rememberProduct } from '../../sign-in-path.ts';
import { Icon } from '../../ui/icon.tsx';
import { HowTo } from './how-to.tsx';
import { Offer } from './offer.tsx';
import { ProductHead } from './product-head.tsx';
import { ProductLoading } from './product-loading.tsx';
import { ProductNotFound } from './product-not-found.tsx';

const PRODUCT_PADDING = 'pt-[clamp(1rem,3vw,2.25rem)]';

export function ProductPage({ id }: { id: string }) {
  const product = useQuery(queryOf(getProduct, { id }));
  if (product.isPending) return <ProductLoading />;
  if (product.data) return <LoadedProduct key={id} product={product.data} />;
  if (isNotFound(product.error)) return <ProductNotFound id={id} />;
  return (
    <Page title="Product" className={PRODUCT_PADDING}>
      <BackLink />
      <LoadError what="this product" onRetry={() => void product.refetch()} />
    </Page>
  );
}

function LoadedProduct({ product }: { product: Product }) {
  const session = useSession();
  const id = productIdOf(product);
  useEffect(() => rememberProduct(id), [id]);
  return (
    // the product's own title, else its name.
    <Page title={product.page_title ?? product.name} exactTitle className={PRODUCT_PADDING}>
      <BackLink />
      <ProductHead product={product} />
      <Offer key={session.status === 'signed-in' ? session.userId : ''} product={product} />
      <HowTo instructions={product.instructions} />
    </Page>
  );
}

function BackLink() {
  const { status } = useSession();
  return (
    <Link
      href="/"
      className="inline-flex items-center gap-1.5 rounded-xs py-1 text-md text-ink-2 hover:text-ink"
    >
      <Icon of={ArrowLeft} size={16} />
      {status === 'signed-in' ? 'Your Partner Benefits' : 'Partner benefits'}
    </Link>
  );
}
