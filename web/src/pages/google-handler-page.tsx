// Checks the role of a user who has signed in with Google, and redirects to the page for that role (R-GH-01 to
// R-GH-07).
import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { CentredPage } from '../parts/centred-page.tsx';
import { useCurrentUser, useSession } from '../parts/use-session.ts';
import { StatusLine } from '../ui/status-line.tsx';
import { showToast, type ToastWords } from '../ui/toast-store.ts';
import { say } from '../words/say.ts';

type Outcome = { toast: ToastWords; to: string };

// The toast and the redirect for each role. A toast does not survive a page load, so the redirects use the router
//
const OUTCOMES = {
  nobody: (): Outcome => ({
    toast: {
      title: say('Authentication Error'),
      description: say('Failed to retrieve user information'),
      variant: 'destructive',
    },
    to: '/',
  }),
  admin: (): Outcome => ({
    toast: { title: say('Welcome'), description: say('You have successfully logged in as administrator') },
    to: '/admin',
  }),
  learner: (): Outcome => ({
    toast: { title: say('Access restricted'), variant: 'destructive' },
    to: '/admin/access-denied',
  }),
};

export function GoogleHandlerPage() {
  const who = useWho();
  const [, navigate] = useLocation();
  const told = useRef(false);
  useEffect(() => {
    if (!who || told.current) return;
    told.current = true;
    const outcome = OUTCOMES[who]();
    showToast(outcome.toast);
    navigate(outcome.to, { replace: true });
  }, [who, navigate]);
  return (
    <CentredPage title={say('Checking your access')}>
      <h1 className="sr-only">{say('Checking your access')}</h1>
      <StatusLine>{say('Checking your access...')}</StatusLine>
    </CentredPage>
  );
}

/** Returns the role of the current user, or `nobody` if no user is signed in. Returns null until the user is loaded. */
function useWho(): keyof typeof OUTCOMES | null {
  const { status } = useSession();
  const { data: user, isPending } = useCurrentUser();
  if (status === 'signed-out') return 'nobody';
  if (status === 'loading' || isPending) return null;
  if (!user) return 'nobody';
  return user.user_role === 'admin' ? 'admin' : 'learner';
}
