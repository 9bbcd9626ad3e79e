// The callback page: finishes a sign-in and redirects (R-CB-01 to R-CB-13).
import { useCallback, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { CentredPage } from '../parts/centred-page.tsx';
import { finishSignIn, takeArrival } from '../parts/finish-sign-in.ts';
import { LoadError } from '../parts/load-error.tsx';
import type { Arrival } from '../sign-in-arrival.ts';
import { StatusLine } from '../ui/status-line.tsx';
import { say } from '../words/say.ts';

export function AuthCallbackPage() {
  const [, navigate] = useLocation();
  // Keeps the tokens from the URL of this page for a retry, because `takeArrival` removes the tokens from the URL.
  const arrival = useRef<Arrival>(undefined);
  const [state, setState] = useState<'busy' | 'failed' | 'retrying'>('busy');
  const finish = useCallback(
    async (from: Arrival) => {
      const move = await finishSignIn(from);
      if (!move) return setState('failed');
      setTimeout(() => {
        // If the user has opened another page meanwhile, the callback page does not redirect.
        if (location.pathname === '/auth/callback') navigate(move.to, { replace: true });
      }, move.afterMs);
    },
    [navigate],
  );
  useEffect(() => {
    if (arrival.current) return;
    arrival.current = takeArrival();
    void finish(arrival.current);
  }, [finish]);

  const retry = () => {
    setState('retrying');
    if (arrival.current) void finish(arrival.current);
  };
  const words = say('Signing you in');
  return (
    <CentredPage title={words}>
      <h1 className="sr-only">{words}</h1>
      {state === 'busy' ? (
        <StatusLine>{words}</StatusLine>
      ) : (
        <LoadError
          words={say('We could not load your account.')}
          busy={state === 'retrying'}
          onRetry={retry}
        />
      )}
    </CentredPage>
  );
}
