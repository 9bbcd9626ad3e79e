// The two pages that turn people without the admin role away, and the address that leads to one of them
// (R-ROUTE-09 to R-ROUTE-13, A-13, A-14).
import { Lock } from 'lucide-react';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { BackHome } from '../parts/back-home.tsx';
import { CentredPage } from '../parts/page.tsx';
import { SignedInAs } from '../parts/signed-in-as.tsx';
import { MessageCard } from '../ui/message-card.tsx';
import { showToast } from '../ui/toast-store.ts';
import { say } from '../words/say.ts';

const sayAdminsOnly = () => say('Sorry, this space is for admins only. Seems like you do not have access.');

/** `denied`: turned away from an admin page, not from the admin sign-in. */
export function AccessRestrictedPage({ denied = false }: { denied?: boolean }) {
  const [, navigate] = useLocation();
  const heading = denied ? say('Access restricted') : say('Admins only');
  return (
    <CentredPage title={heading}>
      <MessageCard icon={Lock} heading={heading}>
        <p>{sayAdminsOnly()}</p>
        <SignedInAs onSignedOut={() => navigate('/admin-login')} />
        <BackHome />
      </MessageCard>
    </CentredPage>
  );
}

export function CheckAccessPage() {
  const [, navigate] = useLocation();
  useEffect(() => {
    showToast({ title: say('Access restricted'), description: sayAdminsOnly(), variant: 'destructive' });
    // By the router, so that the toast stays.
    navigate('/admin/access-denied', { replace: true });
  }, [navigate]);
  return null;
}
