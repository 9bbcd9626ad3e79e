// The home page. It has three addresses, which differ only in the text for a learner without products (R-ROUTE-04).
import { useSession } from '../../parts/use-session.ts';
import { Benefits } from './benefits.tsx';
import { BenefitsLoading } from './benefits-loading.tsx';
import type { Audience } from './empty-state.tsx';
import { Welcome } from './welcome.tsx';

export function HomePage({ audience }: { audience: Audience }) {
  const session = useSession();
  if (session.status === 'loading') return <BenefitsLoading />;
  if (session.status === 'signed-out') return <Welcome />;
  return <Benefits audience={audience} userId={session.userId} />;
}
