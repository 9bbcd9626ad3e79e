// The home page for learners: their products, one card for each (R-HOME-08 to R-HOME-18).
import type { MyProduct } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { ArrowUpRight, Mail } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { listMyProducts } from '../api.ts';
import { productIdOf } from '../navigation.ts';
import { LoadError } from '../page.tsx';
import { queryOf, useCurrentUser, useRetry } from '../queries.ts';
import { brand } from '../settings.ts';
import { openLogin, SignedInAs } from '../sign-in/store.tsx';
import { buttonClass } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { ExternalLink } from '../ui/text.tsx';
import { Ticket, TicketMain, TicketStub } from '../ui/ticket.tsx';
import { showError } from '../ui/toast-store.ts';
import { t, tNode } from '../words/translate.ts';
import { BenefitCard, benefitState } from './benefit-card.tsx';
import { type Audience, BenefitsLoading, BenefitsPage, GRID } from './benefits-frame.tsx';
import { useFinder } from './finder.tsx';

export function Benefits({ audience, userId }: { audience: Audience; userId: string }) {
  const products = useQuery(queryOf(listMyProducts, {}, userId));
  const user = useCurrentUser();
  const retry = useRetry(products);
  if (retry.failed) {
    return (
      <BenefitsPage>
        <LoadError words={t('We could not load your benefits.')} {...retry} />
      </BenefitsPage>
    );
  }
  // Without products, the text depends on the user (R-DAY-50).
  if (!products.data || (products.data.length === 0 && user.isPending)) return <BenefitsLoading />;
  // Between two visits of this page, staff may withdraw or replace a code. So the list is read again after a copy.
  const check = async ({ product_id, coupon_code }: MyProduct) => {
    const { data } = await products.refetch();
    const code = data?.find((product) => product.product_id === product_id)?.coupon_code;
    if (!data || code === coupon_code) return;
    showError(
      t('This code is no longer valid'),
      t('It was withdrawn or replaced. The card shows what applies now.'),
    );
    // The button that had the focus may be gone.
    document.getElementById(`go-${product_id}`)?.focus();
  };
  return (
    <BenefitsList
      products={products.data}
      onCopied={(product) => void check(product)}
      empty={
        <>
          {user.data?.team_role ? <MemberState /> : <EmptyState audience={audience} />}
          <SignedInAs className="mt-4" action={t('Use another address')} onSignedOut={openLogin} />
        </>
      }
    />
  );
}

type BenefitsListProps = {
  products: MyProduct[];
  /** Shown in place of the cards if the learner has no products. */
  empty: ReactNode;
  /** Called after the learner has copied the code of a product. */
  onCopied?: (product: MyProduct) => void;
  /** Set where the codes are masked: what screen readers read in place of each. */
  speakCode?: (product: MyProduct) => string;
};

/** The number of cards whose logos load at once: the cards of the first screen. */
const FIRST_CARDS = 6;

export function BenefitsList({ products, empty, onCopied, speakCode }: BenefitsListProps) {
  const { shown, controls, nothing } = useFinder(products);
  if (products.length === 0) return <BenefitsPage>{empty}</BenefitsPage>;
  const now = new Date();
  return (
    <BenefitsPage
      aside={<p className="text-md text-ink-2 [font-variant-numeric:tabular-nums]">{countWords(products)}</p>}
    >
      {controls}
      {nothing ?? (
        <ul className={GRID}>
          {sortByGroup(shown, now).map((product, at) => (
            <li key={productIdOf(product)}>
              <BenefitCard
                benefit={product}
                now={now}
                isLazy={at >= FIRST_CARDS}
                onCopied={() => onCopied?.(product)}
                spokenCode={speakCode?.(product)}
              />
            </li>
          ))}
        </ul>
      )}
    </BenefitsPage>
  );
}

/** R-CAT-11, N-243: the codes that the learner holds, of all cards. */
function countWords(products: MyProduct[]): string {
  const held = products.filter(({ state }) => state === 'issued').length;
  return t('{n} of {m} redeemed', { n: held, m: products.length });
}

/**
 * Returns the products in the order of the cards. This is the order of the server (R-CAT-11), but products whose code
 * has expired come last: the day of the learner may be later than the day of the server.
 */
export function sortByGroup<Of extends Pick<MyProduct, 'state' | 'use_by'>>(products: Of[], now: Date): Of[] {
  const isExpired = (product: Of) => Number(benefitState(product, now) === 'expired');
  return products.toSorted((a, b) => isExpired(a) - isExpired(b));
}

const ACTION = buttonClass({ look: 'primary', size: 'lg', block: true });

/** For a learner without products. The text depends on the address of the home page (R-HOME-15 to R-HOME-18). */
export function EmptyState({ audience }: { audience: Audience }) {
  if (audience === 'fellowship')
    return (
      <Blank
        heading={t('Sorry. You do not have access to any tools. Please reach out to your cohort manager')}
      />
    );
  if (audience === 'accelerator') {
    const call = (
      <ExternalLink className={ACTION} href={brand.onboarding_call_url}>
        {t('Book an Onboarding Call')}
        <Icon of={ArrowUpRight} />
      </ExternalLink>
    );
    return (
      <Blank heading={t('You do not have access to any tools yet')} action={call}>
        {t('Tool access for the accelerator opens after your onboarding call.')}
      </Blank>
    );
  }
  const mail = `mailto:${brand.support_email}`;
  const address = (
    <a className="link wrap-anywhere" href={mail}>
      {brand.support_email}
    </a>
  );
  const write = (
    <a className={ACTION} href={mail}>
      <Icon of={Mail} />
      {t('Write to support')}
    </a>
  );
  return (
    <Blank heading={t('No tools on this account yet')} action={write}>
      {tNode(
        'If you expected to see tools here, write to us at {email} from the email you used at purchase.',
        { email: address },
      )}
    </Blank>
  );
}

/** For a member of the team without products (R-DAY-50). */
function MemberState() {
  const open = (
    <Link className={ACTION} href="/admin">
      {t('Open the staff pages')}
    </Link>
  );
  return <Blank heading={t('You are a member of the team.')} action={open} />;
}

function Blank({ heading, action, children }: { heading: string; action?: ReactNode; children?: ReactNode }) {
  return (
    <Ticket state="blank" layout="turning" className="mt-[clamp(1.75rem,3.5vw,2.75rem)]">
      <TicketMain>
        <h2 className="max-w-[34ch] text-xl">{heading}</h2>
        {children && <p className="max-w-[48ch] text-ink-2">{children}</p>}
      </TicketMain>
      <TicketStub print="blank">{action}</TicketStub>
    </Ticket>
  );
}
