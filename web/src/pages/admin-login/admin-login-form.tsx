// Renders the first view of the admin sign-in: the Google button and the address field.
import { signInWithGoogle } from '../../auth.ts';
import { wordsOf } from '../../parts/error-words.ts';
import { SignInForm } from '../../parts/sign-in-form.tsx';
import { saveReturnPath } from '../../sign-in-path.ts';
import { Notice } from '../../ui/notice.tsx';
import { showToast } from '../../ui/toast-store.ts';
import { say } from '../../words/say.ts';
import { readTyped } from '../admin/typed.ts';
import { type Ended, sayNotSent, sendAdminLink } from './send-link.ts';

type AdminLoginFormProps = {
  /** Set if the session ended while the user was on an admin page; otherwise null. */
  ended: Ended | null;
  /** Path to open after the sign-in. */
  back: string;
  /** True after the user pressed 'Use a different email'. The address field is then empty and has the focus. */
  restarted: boolean;
  onSent: (email: string) => void;
};

export function AdminLoginForm({ ended, back, restarted, onSent }: AdminLoginFormProps) {
  return (
    <>
      <h1 className="text-xl text-ink">{say('Admin sign-in')}</h1>
      <p className="mt-1.5">{say('Access is restricted to admin users only.')}</p>
      {ended && <SignedOut {...ended} />}
      <SignInForm
        or={say('OR')}
        placeholder="you@example.org"
        email={restarted ? undefined : ended?.email}
        focusField={restarted}
        goToGoogle={() => goToGoogle(back)}
        sendLink={(email) => sendAdminLink(email, back)}
        sendFailed={sayNotSent()}
        onSent={onSent}
        // If the address is empty, the form shows an error at the field and this toast (R-VAL-06).
        onEmpty={(description) => showToast({ title: say('Error'), description, variant: 'destructive' })}
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
          ? say('You were signed out. Sign in again and you are back on {page}; what you typed is kept.', {
              page,
            })
          : say('You were signed out. Sign in again and you are back on {page}.', { page })}
      </Notice>
    </div>
  );
}

/**
 * Starts the sign-in with Google. An error is shown as a toast only, not in the form (R-ALOG-15, R-ALOG-16, R-ERR-20).
 */
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
