// The product page: description, ticket with the code, and instructions (R-PROD-01 to R-PROD-31).
import type { Product } from '@portal/contract';
import type { UseQueryResult } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';
import { LoadError } from '../../parts/load-error.tsx';
import { Page, SCREEN_TOP } from '../../parts/page.tsx';
import { productIdOf } from '../../parts/product-id.ts';
import { useRetry } from '../../parts/use-retry.ts';
import { useSession } from '../../parts/use-session.ts';
import { rememberProduct } from '../../sign-in-path.ts';
import { cut } from '../../ui/cut.ts';
import { Icon } from '../../ui/icon.tsx';
import { say } from '../../words/say.ts';
import { HowTo } from './how-to.tsx';
import { Offer } from './offer.tsx';
import { ProductHead, type ShownProduct } from './product-head.tsx';
import { ProductLoading } from './product-loading.tsx';
import { ProductNotFound } from './product-not-found.tsx';

// The view of a learner (admin/view-as) is made of these components.
export { IssuedTicket } from './issued-ticket.tsx';
export { loadCodeFace, OfferTicket } from './offer.tsx';

/** The route requests `product` while this file is still loading, so that the product and the file load in parallel. */
export function ProductPage({ id, product }: { id: string; product: UseQueryResult<Product | null> }) {
  const retry = useRetry(product);
  if (product.data) return <LoadedProduct key={id} product={product.data} />;
  if (product.data === null) return <ProductNotFound id={id} />;
  if (!retry.failed) return <ProductLoading />;
  return (
    <Page title={say('Product')} className={SCREEN_TOP}>
      <h1 className="sr-only">{say('Product')}</h1>
      <BackLink />
      <LoadError words={say('We could not load this product.')} busy={retry.busy} onRetry={retry.onRetry} />
    </Page>
  );
}

/** Maximum length of the description that search engines and previews of shared links show. */
const SUMMARY_LENGTH = 160;

function LoadedProduct({ product }: { product: Product }) {
  const id = productIdOf(product);
  useEffect(() => rememberProduct(id), [id]);
  return <ProductLayout product={product} ticket={<Offer product={product} />} />;
}

/** The product page around the ticket. */
export function ProductLayout({ product, ticket }: { product: ShownProduct; ticket: ReactNode }) {
  return (
    // the title is the page title of the product, or the name of the product if no page title is set.
    <Page
      title={product.page_title || product.name}
      exactTitle
      description={cut(product.description.replace(/\s+/g, ' '), SUMMARY_LENGTH)}
      className={SCREEN_TOP}
    >
      <BackLink />
      <ProductHead product={product} />
      {ticket}
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
      {status === 'signed-in' ? say('Your Partner Benefits') : say('Partner benefits')}
    </Link>
  );
}
