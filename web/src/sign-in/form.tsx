// The sign-in form for learners and staff: a button for Google, if configured, and a field for a mailed link.
import { foldDigits } from '@portal/contract';
import { useId, useState } from 'react';
import { isUnreachable, signInWithCode } from '../auth.ts';
import { signInService } from '../settings.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Problem } from '../ui/notice.tsx';
import { useForm } from '../ui/use-form.ts';
import { say, sayServed } from '../words/say.ts';

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
      const words = say('Please enter your email address');
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
            {say('Continue with Google')}
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
        label={say('Email')}
        type="email"
        required
        noStar
        autoComplete="email"
        placeholder={form.placeholder}
        aria-describedby={hint && hintId}
      />
      <Button look="primary" size="lg" block type="submit" busy={busy}>
        {busy ? say('Sending...') : say('Send Magic Link')}
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

/**
 * A field for the six-digit code of the sign-in mail, which may be read on another device. The caller observes the
 * session, and closes the dialog or redirects after the sign-in.
 */
export function LoginCode({ email, focusField, onBusy }: LoginCodeProps) {
  const { props, field, busy } = useForm({ code: '' }, async ({ code: typed }) => {
    // Pasted codes may contain spaces, or digits of another script (R-MAP-04).
    const code = foldDigits(typed).replace(/\D/g, '');
    if (code.length !== 6) return { code: say('Please enter the six digits from the email') };
    onBusy?.(true);
    try {
      await signInWithCode(email, code);
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
        label={say('Or enter the code from the email')}
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={12}
      />
      {/* The margin aligns the button with the field, not with its label. */}
      <Button look="primary" size="lg" type="submit" className="mt-6.5" busy={busy}>
        {busy ? say('Signing in...') : say('Sign in')}
      </Button>
    </form>
  );
}

/** Replaces the sign-in service's message for a wrong or expired code, because that message mentions a token. */
export function explainCodeError(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'otp_expired') {
    return say('This code is wrong or has expired.');
  }
  return wordsOf(error, say('We could not check the code. Please try again.'));
}

/** Returns the error's message; `fallback` if it is empty, or comes from the browser or a parser. */
export function wordsOf(error: unknown, fallback: string): string {
  if (!(error instanceof Error) || isUnreachable(error)) return fallback;
  const message = error.message.trim();
  return message === '' || message === '{}' ? fallback : sayServed(message);
}
