// Pages in place of one that is refused: no admin role, role not checked, unknown address (R-ROUTE-09 to R-ROUTE-13,
// R-ROUTE-18 to R-ROUTE-21).
import { Lock, RefreshCw, TriangleAlert, WifiOff } from 'lucide-react';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { BackHome, CentredPage } from './page.tsx';
import { SignedInAs } from './sign-in/signed-in-as.tsx';
import { Button } from './ui/button.tsx';
import { Icon } from './ui/icon.tsx';
import { MessageCard } from './ui/notice.tsx';
import { showError } from './ui/toast-store.ts';
import { t } from './words/translate.ts';

/** `denied` is true if the user has just signed in without the admin role, false after a redirect of an admin page. */
export function AccessRestrictedPage({ denied = false }: { denied?: boolean }) {
  const [, navigate] = useLocation();
  // If the role could not be checked, the admin page stored its own path as `wanted` in the history state.
  const state = useHistoryState<{ wanted?: string } | null>();
  if (state?.wanted) return <CouldNotCheck wanted={state.wanted} />;
  const heading = denied ? t('Access restricted') : t('Admins only');
  return (
    <CentredPage title={heading}>
      <MessageCard icon={Lock} heading={heading}>
        <p>{formatAdminsOnly()}</p>
        <SignedInAs onSignedOut={() => navigate('/admin-login')} />
        <BackHome />
      </MessageCard>
    </CentredPage>
  );
}

function CouldNotCheck({ wanted }: { wanted: string }) {
  const [, navigate] = useLocation();
  const heading = t('We could not check your access.');
  return (
    <CentredPage title={t('Admin')}>
      <div className="grid w-full max-w-110 justify-items-center">
        <MessageCard icon={WifiOff} heading={heading}>
          <p>{t('The portal did not answer. Nothing about your account has changed.')}</p>
          {/* The admin page at `wanted` checks the role again. If the server still does not respond, that page
          redirects to this page again. */}
          <Button look="primary" className="mt-4" onClick={() => navigate(wanted, { replace: true })}>
            <Icon of={RefreshCw} size={16} />
            {t('Try again')}
          </Button>
        </MessageCard>
        <BackHome look="ghost" />
      </div>
    </CentredPage>
  );
}

/** Redirects every visitor to /admin/access-denied (R-ROUTE-12, R-ROUTE-13, A-14). */
export function CheckAccessPage() {
  const [, navigate] = useLocation();
  useEffect(() => {
    showError(t('Access restricted'), formatAdminsOnly());
    // A toast does not survive a page load. So the redirect uses the router.
    navigate('/admin/access-denied', { replace: true });
  }, [navigate]);
  return null;
}

const formatAdminsOnly = () => t('Sorry, this space is for admins only. Seems like you do not have access.');

/** R-ROUTE-18 to R-ROUTE-21. */
export function NotFoundPage() {
  return (
    <CentredPage title={t('Page not found')}>
      <MessageCard icon={TriangleAlert} tone="warning" heading={t('404 Page Not Found')}>
        <p>{t('Did you forget to add the page to the router?')}</p>
        <BackHome />
      </MessageCard>
    </CentredPage>
  );
}
