// The home page. It has three addresses, which differ only in the text for a learner without products (R-ROUTE-04).
import { lazyScreen } from '../../parts/lazy-screen.tsx';
import { useSession } from '../../parts/use-session.ts';
import { BenefitsLoading } from './benefits-loading.tsx';
import type { Audience } from './empty-state.tsx';
import { Welcome } from './welcome.tsx';

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
