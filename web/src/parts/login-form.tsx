// The first view of the login dialog (R-VAL-01, R-VAL-04, R-VAL-05).
import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { useRoute } from 'wouter';
import { sendMagicLink, signInWithGoogle } from '../auth.ts';
import { brand, signInService } from '../brand.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Problem } from '../ui/problem.tsx';
import { say } from '../words/say.ts';
import { wordsOf } from './error-words.ts';
import { GoogleMark } from './google-mark.tsx';
import { PRODUCT_ROUTE } from './product-id.ts';

type LoginFormProps = {
  titleId: string;
  firstLineId: string;
  /** Start in the field: the person has just asked for another address. */
  focusField: boolean;
  onBusy: (busy: boolean) => void;
  onSent: (email: string) => void;
  /** Called when Google takes over. */
  onLeave: () => void;
};

export function LoginForm({ titleId, firstLineId, focusField, onBusy, onSent, onLeave }: LoginFormProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [googleError, setGoogleError] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const [, product] = useRoute(PRODUCT_ROUTE);
  const wayBack = { productId: product?.id };

  useEffect(() => {
    if (focusField) field.current?.focus();
  }, [focusField]);

  const refuse = (words: string) => {
    setError(words);
    field.current?.focus();
  };
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    if (busy) return;
    const email = field.current?.value.trim().toLowerCase() ?? '';
    if (email === '') return refuse(say('Please enter your email address'));

    setError(null);
    setGoogleError(null);
    setBusy(true);
    onBusy(true);
    try {
      await sendMagicLink(email, wayBack);
      onSent(email);
    } catch (cause) {
      refuse(wordsOf(cause, say('Please check your email and try again')));
    } finally {
      setBusy(false);
      onBusy(false);
    }
  };
  const goToGoogle = async () => {
    setGoogleError(null);
    try {
      await signInWithGoogle(wayBack);
      onLeave();
    } catch (cause) {
      setGoogleError(wordsOf(cause, say('Could not initiate Google sign-in. Please try again.')));
    }
  };

  return (
    <>
      <h2 id={titleId} className="pr-8 text-xl">
        {say('Sign In to Redeem')}
      </h2>
      <p id={firstLineId} className="mt-1.5 text-md text-ink-2">
        {say('Use the email you gave {provider} at purchase.', { provider: brand.name })}
      </p>
      <form className="mt-6 grid gap-4.5" noValidate onSubmit={send}>
        {signInService.google && (
          <>
            <Button size="lg" block disabled={busy} onClick={goToGoogle}>
              <GoogleMark />
              {say('Continue with Google')}
            </Button>
            {googleError && <Problem>{googleError}</Problem>}
            <div className="flex items-center gap-3.5 text-sm text-ink-3 before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
              {say('Or')}
            </div>
          </>
        )}
        <Field
          ref={field}
          id="login-email"
          label={say('Email')}
          type="email"
          required
          autoComplete="email"
          placeholder={say('Your {provider} email', { provider: brand.name })}
          readOnly={busy}
          error={error}
          hintId="login-hint"
        />
        <Button look="primary" size="lg" block type="submit" busy={busy}>
          {busy ? say('Sending...') : say('Send Magic Link')}
        </Button>
        <p id="login-hint" className="text-sm text-ink-3">
          {say('We’ll email you a secure login link. No password needed.')}
        </p>
      </form>
    </>
  );
}
