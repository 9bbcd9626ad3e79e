// Other benefits, on the page of a product that the learner cannot redeem now (R-CAT-21).
import { useQuery } from '@tanstack/react-query';
import { ArrowRight } from 'lucide-react';
import { Link } from 'wouter';
import { listMyProducts } from '../api.ts';
import { productIdOf, productPath } from '../navigation.ts';
import { queryOf, useSession } from '../queries.ts';
import { Icon } from '../ui/icon.tsx';
import { Logo } from '../ui/logo.tsx';
import { cut } from '../ui/text.tsx';
import { t } from '../words/translate.ts';
import { BenefitFacts } from './benefit-facts.tsx';

/** Maximum number of the other benefits, and of the characters of a name. */
const MOST = 3;
const NAME_LENGTH = 50;

/** Shows up to three benefits that the learner can redeem now, and nothing if there are none. `id` is this product's. */
export function OtherBenefits({ id }: { id: string }) {
  const session = useSession();
  const owner = session.status === 'signed-in' ? session.userId : undefined;
  const { data = [] } = useQuery({ ...queryOf(listMyProducts, {}, owner), enabled: owner !== undefined });
  const others = data.filter((each) => each.state === 'ready' && productIdOf(each) !== id).slice(0, MOST);
  if (others.length === 0) return null;
  return (
    <section className="mt-[clamp(3rem,6vw,4.5rem)]" aria-labelledby="others">
      <h2 id="others" className="text-xl">
        {t('Other benefits you can redeem')}
      </h2>
      <ul className="mt-6 grid gap-3 md:grid-cols-3 md:gap-5">
        {others.map((other) => (
          <li key={productIdOf(other)}>
            <Link
              href={productPath(other)}
              className="flex h-full items-center gap-3.5 rounded-lg border border-line-strong bg-surface px-4 py-3.5 hover:bg-hover"
            >
              <Logo
                logo={other.logo}
                id={productIdOf(other)}
                size={40}
                detail="mid"
                isLazy
                className="flex-none text-accent-text"
              />
              <span className="min-w-0 grow">
                <span dir="auto" className="block font-medium wrap-anywhere">
                  {cut(other.name, NAME_LENGTH)}
                </span>
                <BenefitFacts benefit={other} className="text-sm text-ink-3" />
              </span>
              <Icon of={ArrowRight} size={16} className="text-ink-3" />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
