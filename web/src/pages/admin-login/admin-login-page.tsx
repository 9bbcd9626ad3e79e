// The sign-in page for administrators (R-ALOG-01 to R-ALOG-18).
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { BackHome } from '../../parts/back-home.tsx';
import { CentredPage } from '../../parts/centred-page.tsx';
import { StatusLine } from '../../ui/status-line.tsx';
import { say } from '../../words/say.ts';
import { useAdminCheck, useTurnAway } from '../admin/use-admin-check.ts';
import { AdminLoginForm } from './admin-login-form.tsx';
import { AdminLoginSent } from './admin-login-sent.tsx';
import { ADMIN_HOME, type Ended } from './send-link.ts';

export function AdminLoginPage() {
  const check = useAdminCheck();
  const [, navigate] = useLocation();
  const ended = useHistoryState<Ended | null>();
  const back = ended?.path ?? ADMIN_HOME;
  const [sentTo, setSentTo] = useState<string | null>(null);
  const [restarted, setRestarted] = useState(false);

  // Redirects an administrator who is already signed in, so the form is not shown. This includes an administrator who
  // has signed in in another tab (R-ALOG-12 to R-ALOG-14).
  useEffect(() => {
    if (check === 'admin') navigate(back, { replace: true });
  }, [check, back, navigate]);
  useTurnAway(check, back);

  const restart = () => {
    setRestarted(true);
    setSentTo(null);
  };
  if (check !== 'signed-out') {
    return (
      <CentredPage title={say('Admin sign-in')}>
        <h1 className="sr-only">{say('Admin sign-in')}</h1>
        <StatusLine>{say('Checking authentication status...')}</StatusLine>
      </CentredPage>
    );
  }
  return (
    <CentredPage title={sentTo ? say('Check Your Email') : say('Admin sign-in')}>
      <div className="grid w-full max-w-110 justify-items-center">
        <section className="w-full rounded-lg border border-line bg-surface px-6 py-7 text-md text-ink-2 md:px-8 md:py-9">
          {sentTo ? (
            <AdminLoginSent email={sentTo} back={back} onRestart={restart} />
          ) : (
            <AdminLoginForm ended={ended} back={back} restarted={restarted} onSent={setSentTo} />
          )}
        </section>
        <BackHome look="ghost" />
      </div>
    </CentredPage>
  );
}
