// The product page: description, ticket with the code, and instructions (R-PROD-01 to R-PROD-31).
import type { Product } from '@portal/contract';
import type { UseQueryResult } from '@tanstack/react-query';
import { ArrowLeft, Check, PackageX } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { productIdOf } from '../navigation.ts';
import { CentredPage, LoadError, Page, SCREEN_TOP } from '../page.tsx';
import { useRetry, useSession } from '../queries.ts';
import { brand } from '../settings.ts';
import { forgetProduct, rememberProduct } from '../sign-in/session.ts';
import { classes } from '../ui/dom.ts';
import { Icon, Skeleton } from '../ui/icon.tsx';
import { Logo } from '../ui/logo.tsx';
import { MessageCard, StatusLine } from '../ui/notice.tsx';
import { cut, LinkedText } from '../ui/text.tsx';
import { showError } from '../ui/toast-store.ts';
import { t, tServed } from '../words/translate.ts';
import { BenefitFacts } from './benefit-facts.tsx';
import { Offer } from './offer.tsx';
import { OtherBenefits } from './other-benefits.tsx';
import { useRedemption } from './redemption.ts';

// The staff page that shows what a learner sees (admin/view-as) uses these components too.
export { IssuedTicket } from './issued.tsx';
export { loadCodeFace, OfferTicket } from './offer.tsx';

/** The route requests `product` while this file is still loading. */
export function ProductPage({ id, product }: { id: string; product: UseQueryResult<Product | null> }) {
  const retry = useRetry(product);
  if (product.data) return <LoadedProduct key={id} product={product.data} />;
  if (product.data === null) return <ProductNotFound id={id} />;
  if (!retry.failed) return <ProductLoading />;
  return (
    <Page title={t('Product')} className={SCREEN_TOP}>
      <h1 className="sr-only">{t('Product')}</h1>
      <BackLink />
      <LoadError words={t('We could not load this product.')} {...retry} />
    </Page>
  );
}

/** Maximum length of the description that search engines and previews of shared links show. */
const SUMMARY_LENGTH = 160;

function LoadedProduct({ product }: { product: Product }) {
  const id = productIdOf(product);
  const redemption = useRedemption(product);
  const { kind } = redemption.state;
  useEffect(() => rememberProduct(id), [id]);
  return (
    <ProductLayout product={product} ticket={<Offer product={product} redemption={redemption} />}>
      {(kind === 'closed' || kind === 'soldOut') && <OtherBenefits id={id} />}
    </ProductLayout>
  );
}

type ProductLayoutProps = { product: ShownProduct; ticket: ReactNode; children?: ReactNode };

/** The product page around the ticket. The children are at its end. */
export function ProductLayout({ product, ticket, children }: ProductLayoutProps) {
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
      <Terms terms={product.terms} />
      {children}
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
      {status === 'signed-in' ? t('Your Partner Benefits') : t('Partner benefits')}
    </Link>
  );
}

/** Maximum lengths of the product's name and description, in characters (R-PROD-07, R-PROD-08). */
const NAME_LENGTH = 50;
const DESCRIPTION_LENGTH = 200;

const HEAD_GRID =
  'mt-[clamp(1.5rem,3.5vw,2.75rem)] mb-[clamp(2rem,4vw,3rem)] grid items-start gap-y-5 ' +
  'md:grid-cols-[minmax(0,2fr)_minmax(17rem,1fr)]';
const HEAD_TITLE = 'flex flex-col items-start gap-x-5 gap-y-3.5 md:col-span-2 md:flex-row md:items-center';

type ShownProduct = Omit<Product, 'status' | 'opens_on'>;

/** R-PROD-06 to R-PROD-11. */
function ProductHead({ product }: { product: ShownProduct }) {
  return (
    <div className={HEAD_GRID}>
      <div className={HEAD_TITLE}>
        <Logo
          logo={product.logo}
          id={productIdOf(product)}
          size={88}
          detail="mid"
          className="size-15 flex-none text-accent-text md:size-22"
        />
        <div>
          {product.header_text && (
            <p dir="auto" className="text-md wrap-anywhere text-ink-2">
              {product.header_text}
            </p>
          )}
          <h1 dir="auto" className="max-w-[24ch] text-3xl tracking-tight wrap-anywhere" title={product.name}>
            <ProductName name={product.name} />
          </h1>
          <BenefitFacts benefit={product} className="mt-1.5 text-md text-ink-2" />
        </div>
      </div>
      <p dir="auto" className="max-w-[56ch] wrap-anywhere text-ink-2 md:pr-8 md:text-lg">
        {cut(product.description, DESCRIPTION_LENGTH)}
      </p>
      <ul className="grid gap-2 text-md empty:hidden">
        {(product.perks ?? brand.perks.map(tServed)).map((perk) => (
          <li key={perk} dir="auto" className="flex min-w-0 items-start gap-2.5">
            <Icon of={Check} size={16} strong className="mt-0.75 text-accent-text" />
            <span className="min-w-0 wrap-anywhere">{perk}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Shows a long name cut; screen readers read the whole name (R-PROD-07, R-CAT-20). */
function ProductName({ name }: { name: string }) {
  const shown = cut(name, NAME_LENGTH);
  if (shown === name) return name;
  return (
    <>
      <span aria-hidden="true">{shown}</span>
      <span className="sr-only">{name}</span>
    </>
  );
}

const listSteps = () => [
  {
    title: t('Login & Verify'),
    text: t('Sign in with the email you used at purchase so we can check your access.'),
  },
  { title: t('Get Your Code'), text: t('Press Redeem Now. Your code appears on the ticket above; copy it.') },
  {
    title: t('Activate Your Access'),
    text: t('Open the partner’s site and enter the code there. It works once.'),
  },
];

const STEPS = 'mt-6 grid grid-cols-1 [counter-reset:step]';
const STEP =
  'grid grid-cols-[1.75rem_minmax(0,1fr)] content-start gap-x-3 md:pr-8 [counter-increment:step] before:text-md/6.5 before:font-medium before:text-accent-text before:content-[counter(step)]';

/** Shows the instructions of the product, or three default steps (R-PROD-25 to R-PROD-28). */
function HowTo({ instructions }: { instructions: string | null }) {
  const lines = splitInstructions(instructions);
  return (
    <section className="mt-[clamp(3rem,6vw,4.5rem)]" aria-labelledby="how-to">
      <h2 id="how-to" className="text-xl">
        {t('How To Redeem Your Offer')}
      </h2>
      {lines.length > 0 ? (
        <ol className={classes(STEPS, 'gap-3 md:grid-cols-[minmax(0,62ch)]')}>
          {lines.map((line) => (
            <li key={line.number} className={STEP}>
              <p dir="auto" className="col-start-2 wrap-anywhere text-ink-2">
                <LinkedText text={line.text} />
              </p>
            </li>
          ))}
        </ol>
      ) : (
        <ol className={classes(STEPS, 'gap-y-6 md:grid-cols-3')}>
          {listSteps().map((step) => (
            <li key={step.title} className={STEP}>
              <h3 className="text-base">{step.title}</h3>
              <p className="col-start-2 text-md wrap-anywhere text-ink-2">{step.text}</p>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

/** The terms of the product, closed at first (R-CAT-20). */
function Terms({ terms }: { terms: string | null }) {
  if (!terms) return null;
  return (
    <details className="mt-[clamp(2.5rem,5vw,3.5rem)] max-w-[62ch] border-y border-line">
      <summary className="flex min-h-11 cursor-pointer items-center font-medium before:me-2.5 before:text-ink-3 before:content-['+'] in-open:before:content-['–']">
        {t('Terms')}
      </summary>
      <p dir="auto" className="pb-5 text-md wrap-anywhere whitespace-pre-line text-ink-2">
        <LinkedText text={terms} />
      </p>
    </details>
  );
}

/** Returns one step for each line that is not blank, in order. `number` begins with 1 (R-PROD-26). */
export function splitInstructions(text: string | null | undefined): { number: number; text: string }[] {
  return (text ?? '')
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line, index) => ({ number: index + 1, text: line }));
}

/** R-PROD-01. */
function ProductLoading() {
  return (
    <Page title={t('Product')} className={SCREEN_TOP}>
      <h1 className="sr-only">{t('Product')}</h1>
      <StatusLine>{t('Loading product details...')}</StatusLine>
      <div className={HEAD_GRID} aria-hidden="true">
        <div className={HEAD_TITLE}>
          <Skeleton className="size-15 rounded-full! md:size-22" />
          <Skeleton className="h-9 w-[min(15rem,50%)]" />
        </div>
        <div>
          <Skeleton className="h-4 w-[88%]" />
          <Skeleton className="mt-3 h-4 w-[82%]" />
          <Skeleton className="mt-3 h-4 w-[34%]" />
        </div>
        <div>
          <Skeleton className="h-3.5 w-[70%]" />
          <Skeleton className="mt-3.5 h-3.5 w-[82%]" />
          <Skeleton className="mt-3.5 h-3.5 w-[64%]" />
        </div>
      </div>
      <Skeleton className="h-62 rounded-xl!" />
    </Page>
  );
}

/** Time before the redirect to the home page. */
const REDIRECT_DELAY_MS = 2000;

/** R-PROD-02 to R-PROD-05. */
function ProductNotFound({ id }: { id: string }) {
  const [, navigate] = useLocation();
  useEffect(() => {
    forgetProduct(id);
    showError(t('Product Not Found'), t('The product does not exist or was removed.'));
    const timer = setTimeout(() => navigate('/', { replace: true }), REDIRECT_DELAY_MS);
    return () => clearTimeout(timer);
  }, [id, navigate]);
  return (
    <CentredPage title={t('Product Not Found')}>
      <MessageCard icon={PackageX} tone="warning" heading={t('Product Not Found')}>
        <StatusLine>{t('Redirecting to home page...')}</StatusLine>
      </MessageCard>
    </CentredPage>
  );
}
