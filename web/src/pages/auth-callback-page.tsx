// Finishes a sign-in and leads on (R-CB-01 to R-CB-13).
import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { finishSignIn } from '../parts/finish-sign-in.ts';
import { CentredPage } from '../parts/page.tsx';
import { StatusLine } from '../ui/status-line.tsx';

const WORDS = 'Signing you in';

export function AuthCallbackPage() {
  const [, navigate] = useLocation();
  const started = useRef(false);
  useEffect(() => {
    // What the address brings can be read once only.
    if (started.current) return;
    started.current = true;
    void finishSignIn().then(({ to, afterMs }) => {
      setTimeout(() => {
        // Unless the person has gone elsewhere meanwhile.
        if (location.pathname === '/auth/callback') navigate(to, { replace: true });
      }, afterMs);
    });
  }, [navigate]);
  return (
    <CentredPage title={WORDS}>
      <h1 className="sr-only">{WORDS}</h1>
      <StatusLine>{WORDS}</StatusLine>
    </CentredPage>
  );
}
