// Checks the role of who has come from Google, and leads on (R-GH-01 to R-GH-07).
import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { CentredPage } from '../parts/page.tsx';
import { useCurrentUser, useSession } from '../parts/use-session.ts';
import { StatusLine } from '../ui/status-line.tsx';
import { showToast, type ToastWords } from '../ui/toast-store.ts';

const WORDS = 'Checking your access';

type Outcome = { toast: ToastWords; to: string };

// By the router, so that the toast stays.
const NOBODY: Outcome = {
  toast: {
    title: 'Authentication Error',
    description: 'Failed to retrieve user information',
    variant: 'destructive',
  },
  to: '/',
};
const ADMIN: Outcome = {
  toast: { title: 'Welcome', description: 'You have successfully logged in as administrator' },
  to: '/admin',
};
const LEARNER: Outcome = {
  toast: { title: 'Access restricted', variant: 'destructive' },
  to: '/admin/access-denied',
};

export function GoogleHandlerPage() {
  const outcome = useOutcome();
  const [, navigate] = useLocation();
  const told = useRef(false);
  useEffect(() => {
    if (!outcome || told.current) return;
    told.current = true;
    showToast(outcome.toast);
    navigate(outcome.to, { replace: true });
  }, [outcome, navigate]);
  return (
    <CentredPage title={WORDS}>
      <h1 className="sr-only">{WORDS}</h1>
      <StatusLine>{WORDS}...</StatusLine>
    </CentredPage>
  );
}

/** Null until the current user is known. */
function useOutcome(): Outcome | null {
  const { status } = useSession();
  const { data: user, isPending } = useCurrentUser();
  if (status === 'signed-out') return NOBODY;
  if (status === 'loading' || isPending) return null;
  if (!user) return NOBODY;
  return user.user_role === 'admin' ? ADMIN : LEARNER;
}
