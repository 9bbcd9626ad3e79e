// The sign-in form for learners and staff: a button for Google, if configured, and a field for a mailed link. This file
// also makes the calls of the sign-in client.
import { foldDigits } from '@portal/contract';
import { useId, useState } from 'react';
import { useLocation } from 'wouter';
import { changesAccount, isUnreachable, loadClient } from '../auth.ts';
import { fetchIsMember } from '../queries.ts';
import { signInService } from '../settings.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Problem } from '../ui/notice.tsx';
import { useForm } from '../ui/use-form.ts';
import { t, tServed } from '../words/translate.ts';
import { forgetReturnPath, ownPath, saveReturnPath } from './session.ts';

type SignInFormProps = {
  /** The word between Google's button and the e-mail field. */
  or: string;
  placeholder: string;
  hint?: string;
  email?: string | undefined;
  /** True if the field gets the focus on mount, because the user chose to use another address. */
  focusField: boolean;
  onBusy?: (busy: boolean) => void;
  goToGoogle: () => Promise<void>;
  /** Error text below Google's button, used if the error has no message for users. */
  googleFailed?: string;
  sendLink: (email: string) => Promise<void>;
  /** Error text at the e-mail field, used if the error has no message for users. */
  sendFailed: string;
  onSent: (email: string) => void;
  /** Called with the error message if the form is submitted with an empty field. */
  onEmpty?: (words: string) => void;
};

export function SignInForm(form: SignInFormProps) {
  const { hint, email: start = '', onBusy } = form;
  const hintId = useId();
  const [googleError, setGoogleError] = useState('');
  const { props, field, busy } = useForm({ email: start }, async ({ email: typed }) => {
    const email = typed.trim().toLowerCase();
    if (email === '') {
      const words = t('Please enter your email address');
      form.onEmpty?.(words);
      return { email: words };
    }
    setGoogleError('');
    onBusy?.(true);
    try {
      await form.sendLink(email);
      form.onSent(email);
      return {};
    } catch (cause) {
      return { email: wordsOf(cause, form.sendFailed) };
    } finally {
      onBusy?.(false);
    }
  });
  const pressGoogle = async () => {
    setGoogleError('');
    await form.goToGoogle().catch((cause) => setGoogleError(wordsOf(cause, form.googleFailed ?? '')));
  };

  return (
    <form {...props} className="mt-6 grid gap-4.5">
      {signInService.google && (
        <>
          <Button size="lg" block disabled={busy} onClick={() => void pressGoogle()}>
            <GoogleMark />
            {t('Continue with Google')}
          </Button>
          {googleError && <Problem>{googleError}</Problem>}
          <div className="flex items-center gap-3.5 text-sm text-ink-3 before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
            {form.or}
          </div>
        </>
      )}
      <TextField
        {...field('email')}
        large
        focused={form.focusField}
        label={t('Email')}
        type="email"
        required
        noStar
        autoComplete="email"
        placeholder={form.placeholder}
        aria-describedby={hint && hintId}
      />
      <Button look="primary" size="lg" block type="submit" busy={busy}>
        {busy ? t('Sending...') : t('Send Magic Link')}
      </Button>
      {hint && (
        <p id={hintId} className="text-sm text-ink-3">
          {hint}
        </p>
      )}
    </form>
  );
}

/** The logo that Google requires on its sign-in button. */
function GoogleMark() {
  return (
    <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true" focusable="false">
      <path
        fill="#4285F4"
        d="M17.64 9.2c0-.64-.06-1.25-.16-1.84H9v3.48h4.84a4.14 4.14 0 0 1-1.8 2.72v2.26h2.92c1.7-1.57 2.68-3.88 2.68-6.62Z"
      />
      <path
        fill="#34A853"
        d="M9 18c2.43 0 4.47-.8 5.96-2.18l-2.92-2.26c-.8.54-1.84.86-3.04.86-2.34 0-4.33-1.58-5.04-3.71H.96v2.33A9 9 0 0 0 9 18Z"
      />
      <path fill="#FBBC05" d="M3.96 10.71a5.4 5.4 0 0 1 0-3.42V4.96H.96a9 9 0 0 0 0 8.08l3-2.33Z" />
      <path
        fill="#EA4335"
        d="M9 3.58c1.32 0 2.5.45 3.44 1.35l2.58-2.58A9 9 0 0 0 .96 4.96l3 2.33C4.67 5.16 6.66 3.58 9 3.58Z"
      />
    </svg>
  );
}

type LoginCodeProps = { email: string; focusField?: boolean; onBusy?: (busy: boolean) => void };

/** A field for the six-digit code of the sign-in mail. The caller observes the session to notice the sign-in. */
export function LoginCode({ email, focusField, onBusy }: LoginCodeProps) {
  const [, navigate] = useLocation();
  const { props, field, busy } = useForm({ code: '' }, async ({ code: typed }) => {
    // Pasted codes may contain spaces, or digits of another script (R-MAP-04).
    const code = foldDigits(typed).replace(/\D/g, '');
    if (code.length !== 6) return { code: t('Please enter the six digits from the email') };
    onBusy?.(true);
    try {
      await signInWithCode(email, code);
      // Home is no saved path for members of the team (R-DAY-50). Any other page stays open.
      const isHome = () => location.pathname === '/';
      // Another page may have been opened while the server answered.
      if (isHome() && (await fetchIsMember()) && isHome()) navigate('/admin');
      return {};
    } catch (cause) {
      return { code: explainCodeError(cause) };
    } finally {
      onBusy?.(false);
    }
  });
  return (
    <form
      {...props}
      className="mt-4 grid w-full grid-cols-[minmax(0,1fr)_auto] items-start gap-x-2.5 [&_label]:whitespace-nowrap"
    >
      <TextField
        {...field('code')}
        large
        focused={focusField}
        label={t('Or enter the code from the email')}
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={12}
      />
      {/* The margin aligns the button with the field, not with its label. */}
      <Button look="primary" size="lg" type="submit" className="mt-6.5" busy={busy}>
        {busy ? t('Signing in...') : t('Sign in')}
      </Button>
    </form>
  );
}

/** Replaces the sign-in service's message for a wrong or expired code, because that message mentions a token. */
export function explainCodeError(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'otp_expired') {
    return t('This code is wrong or has expired.');
  }
  return wordsOf(error, t('We could not check the code. Please try again.'));
}

/** Returns the error's message; `fallback` if it is empty, or comes from the browser or a parser. */
export function wordsOf(error: unknown, fallback: string): string {
  if (!(error instanceof Error) || isUnreachable(error)) return fallback;
  const message = error.message.trim();
  return message === '' || message === '{}' ? fallback : tServed(message);
}

/** The URL to which a sign-in returns, and the product that is redeemed after the sign-in. */
type WayBack = { productId?: string | null; returnUrl?: string };

/**
 * Sends a mail with a sign-in link that returns to `returnUrl` (R-LOGIN-11, R-LOGIN-20). The page of the link signs in
 * without a click only if the browser has stored the random value of the link. Throws the error of the sign-in service.
 */
export async function sendMagicLink(email: string, wayBack: WayBack = {}): Promise<void> {
  const request = makeRequest();
  const returnUrl = savePath(wayBack, request);
  const auth = await loadClient();
  const options = { emailRedirectTo: callbackUrl(returnUrl, request), shouldCreateUser: true };
  const { error } = await auth.signInWithOtp({ email, options });
  if (error) throw error;
}

/** Signs in on this page with the code from the mail. Throws the error of the sign-in service. */
async function signInWithCode(email: string, code: string): Promise<void> {
  const auth = await loadClient();
  const { error } = await auth.verifyOtp({ email, token: code, type: 'email' });
  if (error) throw error;
  // The user has signed in on the same page, so the stored return path is not needed.
  forgetReturnPath();
}

/** Redirects to Google (R-LOGIN-18, R-LOGIN-19), which redirects back later. Throws if the redirect fails. */
export async function signInWithGoogle(wayBack: WayBack = {}): Promise<void> {
  const returnUrl = savePath(wayBack, null);
  const auth = await loadClient();
  const options = {
    redirectTo: callbackUrl(returnUrl, null),
    ...(changesAccount && { queryParams: { prompt: 'select_account' } }),
  };
  const { error } = await auth.signInWithOAuth({ provider: 'google', options });
  if (error) throw error;
}

function savePath({ productId = null, returnUrl = location.href }: WayBack, request: string | null): string {
  saveReturnPath({ returnUrl, pathname: location.pathname, productId, request });
  return returnUrl;
}

/** Returns the callback page's URL. It has the return path, because the link may open in another browser. */
function callbackUrl(returnUrl: string, request: string | null): string {
  const url = new URL('/auth/callback', location.origin);
  const next = ownPath(returnUrl, location.origin);
  if (next) url.searchParams.set('next', next);
  if (request) url.searchParams.set('request', request);
  return url.href;
}

function makeRequest(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
