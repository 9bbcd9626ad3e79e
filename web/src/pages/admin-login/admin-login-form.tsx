// The first view of the admin sign-in.
import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { signInWithGoogle } from '../../auth.ts';
import { signInService } from '../../brand.ts';
import { wordsOf } from '../../parts/error-words.ts';
import { GoogleMark } from '../../parts/google-mark.tsx';
import { saveReturnPath } from '../../sign-in-path.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { showToast } from '../../ui/toast-store.ts';
import { say } from '../../words/say.ts';
import { readTyped } from '../admin/typed.ts';
import { type Ended, sendAdminLink } from './send-link.ts';

type AdminLoginFormProps = {
  /** The session that ended under the person. */
  ended: Ended | null;
  /** Where the sign-in leads. */
  back: string;
  /** The person has just asked for another address. */
  restarted: boolean;
  onSent: (email: string) => void;
};

export function AdminLoginForm({ ended, back, restarted, onSent }: AdminLoginFormProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (restarted) field.current?.focus();
  }, [restarted]);

  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    if (busy) return;
    const email = field.current?.value.trim().toLowerCase() ?? '';
    // R-VAL-06
    const empty = email === '' ? say('Please enter your email address') : null;
    setError(empty);
    if (empty) {
      field.current?.focus();
      showToast({ title: say('Error'), description: empty, variant: 'destructive' });
      return;
    }
    setBusy(true);
    const { sent } = await sendAdminLink(email, back);
    setBusy(false);
    if (sent) onSent(email);
    else field.current?.focus();
  };
  return (
    <>
      <h1 className="text-xl text-ink">{say('Admin sign-in')}</h1>
      <p className="mt-1.5">{say('Access is restricted to admin users only.')}</p>
      {ended && <SignedOut {...ended} />}
      <form className="mt-6 grid gap-4.5" noValidate onSubmit={(event) => void send(event)}>
        {signInService.google && (
          <>
            <Button size="lg" block disabled={busy} onClick={() => void goToGoogle(back)}>
              <GoogleMark />
              {say('Continue with Google')}
            </Button>
            <div className="flex items-center gap-3.5 text-sm text-ink-3 before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
              {say('OR')}
            </div>
          </>
        )}
        <Field
          ref={field}
          id="admin-email"
          label={say('Email')}
          type="email"
          required
          autoComplete="email"
          placeholder="you@example.org"
          defaultValue={restarted ? '' : ended?.email}
          readOnly={busy}
          error={error}
        />
        <Button look="primary" size="lg" block type="submit" busy={busy}>
          {busy ? say('Sending...') : say('Send Magic Link')}
        </Button>
      </form>
    </>
  );
}

function SignedOut({ email, page, path }: Ended) {
  const [pathname = ''] = path.split('?');
  return (
    <div role="status">
      <Notice className="mt-4 text-sm">
        {readTyped(email, pathname, Date.now())
          ? say('You were signed out. Sign in again and you are back on {page}; what you typed is kept.', {
              page,
            })
          : say('You were signed out. Sign in again and you are back on {page}.', { page })}
      </Notice>
    </div>
  );
}

/** R-ALOG-15, R-ALOG-16, R-ERR-20 */
async function goToGoogle(returnUrl: string): Promise<void> {
  const { pathname } = location;
  saveReturnPath({ returnUrl, pathname, productId: null, request: null });
  showToast({
    title: say('Initiating login'),
    description: say('Redirecting to Google authentication...'),
  });
  try {
    await signInWithGoogle({ returnUrl });
  } catch (cause) {
    const description = wordsOf(cause, say('Failed to login with Google'));
    showToast({ title: say('Login Failed'), description, variant: 'destructive' });
  }
}
