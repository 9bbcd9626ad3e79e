// The sign-in page for administrators (R-ALOG-01 to R-ALOG-18).
import { MailCheck } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { BackHome, CentredPage } from '../page.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Notice, StatusLine } from '../ui/notice.tsx';
import { showError, showToast } from '../ui/toast-store.ts';
import { formatNumber } from '../words/format.ts';
import { t, tNode } from '../words/translate.ts';
import { useAdminCheck, useTurnAway } from './admin-check.ts';
import { LoginCode, SignInForm, sendMagicLink, signInWithGoogle, wordsOf } from './form.tsx';
import { readTyped, saveReturnPath } from './session.ts';

/** `loadNext` loads the staff pages, so that the first of them is complete when it appears (R-DAY-61). */
export function AdminLoginPage({ loadNext }: { loadNext: () => Promise<unknown> }) {
  const check = useAdminCheck();
  const [, navigate] = useLocation();
  const ended = useHistoryState<Ended | null>();
  const back = ended?.path ?? ADMIN_HOME;
  const [sentTo, setSentTo] = useState<string | null>(null);
  const [restarted, setRestarted] = useState(false);

  // Also redirects an administrator who has signed in in another tab (R-ALOG-12 to R-ALOG-14).
  useEffect(() => {
    if (check !== 'admin') return;
    let isGone = false;
    const go = () => isGone || navigate(back, { replace: true });
    // If the files cannot be fetched, the page itself says so.
    loadNext().then(go, go);
    return () => {
      isGone = true;
    };
  }, [check, back, navigate, loadNext]);
  useTurnAway(check, back);

  const restart = () => {
    setRestarted(true);
    setSentTo(null);
  };
  if (check !== 'signed-out') {
    return (
      <CentredPage title={t('Admin sign-in')}>
        <h1 className="sr-only">{t('Admin sign-in')}</h1>
        <StatusLine>{t('Checking authentication status...')}</StatusLine>
      </CentredPage>
    );
  }
  return (
    <CentredPage title={sentTo ? t('Check Your Email') : t('Admin sign-in')}>
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

type AdminLoginFormProps = {
  /** Set if the session ended on an admin page. */
  ended: Ended | null;
  /** Path to open after the sign-in. */
  back: string;
  /** True after 'Use a different email': the field is empty and has the focus. */
  restarted: boolean;
  onSent: (email: string) => void;
};

function AdminLoginForm({ ended, back, restarted, onSent }: AdminLoginFormProps) {
  return (
    <>
      <h1 className="text-xl text-ink">{t('Admin sign-in')}</h1>
      <p className="mt-1.5">{t('Access is restricted to admin users only.')}</p>
      {ended && <SignedOut {...ended} />}
      <SignInForm
        or={t('OR')}
        placeholder="you@example.org"
        email={restarted ? undefined : ended?.email}
        focusField={restarted}
        goToGoogle={() => goToGoogle(back)}
        sendLink={(email) => sendAdminLink(email, back)}
        sendFailed={formatNotSent()}
        onSent={onSent}
        // If the address is empty, the form shows an error at the field and this toast (R-VAL-06).
        onEmpty={(words) => showError(t('Error'), words)}
      />
    </>
  );
}

function SignedOut({ email, page, path }: Ended) {
  const [pathname = ''] = path.split('?');
  return (
    <div role="status">
      <Notice className="mt-4 text-sm">
        {readTyped(email, pathname, Date.now())
          ? t('You were signed out. Sign in again and you are back on {page}; what you typed is kept.', {
              page,
            })
          : t('You were signed out. Sign in again and you are back on {page}.', { page })}
      </Notice>
    </div>
  );
}

/** An error is shown as a toast only, not in the form (R-ALOG-15, R-ALOG-16, R-ERR-20). */
async function goToGoogle(returnUrl: string): Promise<void> {
  const { pathname } = location;
  saveReturnPath({ returnUrl, pathname, productId: null, request: null });
  showToast({ title: t('Initiating login'), description: t('Redirecting to Google authentication...') });
  try {
    await signInWithGoogle({ returnUrl });
  } catch (cause) {
    showError(t('Login Failed'), wordsOf(cause, t('Failed to login with Google')));
  }
}

type AdminLoginSentProps = { email: string; back: string; onRestart: () => void };

/** A mail with a link and a code was sent. The user can request another mail. */
function AdminLoginSent({ email, back, onRestart }: AdminLoginSentProps) {
  const [busy, setBusy] = useState(false);
  // The number of seconds until the user can request another mail.
  const [waitS, setWaitS] = useState(0);
  useEffect(() => {
    if (waitS === 0) return;
    const timer = setTimeout(() => setWaitS(waitS - 1), 1000);
    return () => clearTimeout(timer);
  }, [waitS]);

  const resend = async () => {
    if (waitS > 0) return;
    setBusy(true);
    const refusal = await sendAdminLink(email, back).then(
      () => '',
      (cause: Error) => cause.message,
    );
    setBusy(false);
    setWaitS(secondsOf(refusal));
  };
  return (
    <div className="grid justify-items-start gap-2">
      <span className="mb-3 grid size-12 place-items-center rounded-lg bg-accent-soft text-accent-text">
        <Icon of={MailCheck} size={24} />
      </span>
      <h1 className="text-xl text-ink">{t('Check Your Email')}</h1>
      <p>
        {tNode('We sent a magic link to {email}. Click the link to login.', {
          email: <strong className="font-medium wrap-anywhere text-ink">{email}</strong>,
        })}
      </p>
      <p>{t('Access is restricted to admin users only.')}</p>
      <LoginCode email={email} focusField />
      <div className="mt-4 flex flex-wrap gap-3">
        <Button onClick={onRestart}>{t('Use a different email')}</Button>
        <Button look="ghost" busy={busy} aria-disabled={waitS > 0 || undefined} onClick={() => void resend()}>
          {t('Resend magic link')}
          {waitS > 0 && ` (${formatNumber(waitS)} s)`}
        </Button>
      </div>
    </div>
  );
}

/** Path to open after the sign-in of an administrator, if no other path is given (R-ALOG-15, A-16). */
const ADMIN_HOME = '/admin';

/** A session that ended on an admin page. `page` is the title of that page; `path` is its path with the query. */
export type Ended = { email: string; page: string; path: string };

const formatNotSent = () => t('Failed to send magic link');

/** Shows a toast for success or failure (R-ALOG-17, R-ERR-21). Throws the error of the sign-in service. */
async function sendAdminLink(email: string, returnUrl: string): Promise<void> {
  try {
    await sendMagicLink(email, { returnUrl });
  } catch (cause) {
    showError(t('Error'), wordsOf(cause, formatNotSent()));
    throw cause;
  }
  showToast({
    title: t('Magic Link Sent'),
    description: t(
      'A magic link has been sent to your email. Please check your inbox and click the link to login.',
    ),
  });
}

/** Returns the waiting time in an error message of the sign-in service, or 0 if the message contains none. */
export function secondsOf(words: string): number {
  return Number(/(\d+)\s*seconds?\b/i.exec(words)?.[1] ?? 0);
}
