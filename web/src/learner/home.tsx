// The home page. It has three addresses, which differ only in the text for a learner without products (R-ROUTE-04).
import { lazyScreen } from '../lazy.tsx';
import { Page } from '../page.tsx';
import { useSession } from '../queries.ts';
import { opensLogin } from '../sign-in/store.tsx';
import { Button } from '../ui/button.tsx';
import { Strip } from '../ui/ticket.tsx';
import { t } from '../words/translate.ts';
import { type Audience, BenefitsLoading } from './benefits-frame.tsx';

/** The products of a learner. They are in a separate file, which visitors do not load. */
export const Benefits = lazyScreen(
  () => import('./benefits.tsx').then((m) => m.Benefits),
  <BenefitsLoading />,
);

export function HomePage({ audience }: { audience: Audience }) {
  const session = useSession();
  if (session.status === 'loading') return <BenefitsLoading />;
  if (session.status === 'signed-out') return <Welcome />;
  return <Benefits audience={audience} userId={session.userId} />;
}

// `mark` is the text from which the drawing of a step is generated. These texts give drawings that look good.
const listSteps = () => [
  {
    title: t('Log in'),
    text: t('Use the same email you registered with. We match it to your course.'),
    mark: 'pick',
  },
  {
    title: t('Browse offers and redeem'),
    text: t('See every tool you are entitled to and redeem a code for each one.'),
    mark: 'second',
  },
  {
    title: t('Activate'),
    text: t('Follow the partner’s instructions on their site. Your access starts there.'),
    mark: 'login',
  },
];

/** The home page for visitors (R-HOME-01 to R-HOME-07). */
function Welcome() {
  const lead = t(
    'Partner benefits are part of your programme. Sign in, pick a tool, and take one single-use code to the partner’s site.',
  );
  return (
    <Page title={t('Partner benefits')} description={lead} className="pt-[clamp(2.5rem,6.5vw,5.5rem)]">
      <div className="grid items-end gap-5 md:grid-cols-[minmax(0,2fr)_minmax(17rem,1fr)] md:gap-0">
        <h1 className="-ml-[0.03em] max-w-[6.1em] text-4xl tracking-tight text-wrap">
          {t('Your course comes with benefits.')}
        </h1>
        <div className="grid justify-items-start gap-7">
          <p className="max-w-[56ch] text-ink-2 md:text-lg">{lead}</p>
          <Button look="accent" size="lg" className="w-full md:w-auto" {...opensLogin}>
            {t('Login to redeem your coupons')}
          </Button>
        </div>
      </div>
      <Strip label={t('How it works')} steps={listSteps()} />
    </Page>
  );
}
