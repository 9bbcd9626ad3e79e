// Renders two pages: one for users without the admin role, one for users whose role could not be checked (R-ROUTE-09 to
// R-ROUTE-11, A-13, A-87).
import { Lock, RefreshCw, WifiOff } from 'lucide-react';
import { useLocation } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { BackHome } from '../parts/back-home.tsx';
import { CentredPage } from '../parts/centred-page.tsx';
import { SignedInAs } from '../parts/signed-in-as.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { MessageCard } from '../ui/message-card.tsx';
import { say } from '../words/say.ts';
import { sayAdminsOnly } from './say-admins-only.ts';

/**
 * `denied` is true if the user has just signed in without the admin role. `denied` is false if an admin page redirected
 * the user to this page.
 */
export function AccessRestrictedPage({ denied = false }: { denied?: boolean }) {
  const [, navigate] = useLocation();
  // If the role could not be checked, the admin page stored its own path as `wanted` in the history state.
  const state = useHistoryState<{ wanted?: string } | null>();
  if (state?.wanted) return <CouldNotCheck wanted={state.wanted} />;
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

function CouldNotCheck({ wanted }: { wanted: string }) {
  const [, navigate] = useLocation();
  const heading = say('We could not check your access.');
  return (
    <CentredPage title={say('Admin')}>
      <div className="grid w-full max-w-110 justify-items-center">
        <MessageCard icon={WifiOff} heading={heading}>
          <p>{say('The portal did not answer. Nothing about your account has changed.')}</p>
          {/* The admin page at `wanted` checks the role again. If the server still does not respond, that page
          redirects to this page again. */}
          <Button look="primary" className="mt-4" onClick={() => navigate(wanted, { replace: true })}>
            <Icon of={RefreshCw} size={16} />
            {say('Try again')}
          </Button>
        </MessageCard>
        <BackHome look="ghost" />
      </div>
    </CentredPage>
  );
}
