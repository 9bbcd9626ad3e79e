// The six-digit code of the sign-in mail, for those who read their mail elsewhere.
import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { signInWithCode } from '../auth.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { say } from '../words/say.ts';
import { explainCodeError } from './code-words.ts';

type LoginCodeProps = {
  email: string;
  /** Start in the field. */
  focusField?: boolean;
  onBusy?: (busy: boolean) => void;
};

/** A code that is accepted signs in, which closes the dialog or leads on. */
export function LoginCode({ email, focusField, onBusy }: LoginCodeProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);

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
    // Pasted codes come with spaces.
    const code = field.current?.value.replace(/\D/g, '') ?? '';
    if (code.length !== 6) return refuse(say('Please enter the six digits from the email'));

    setError(null);
    setBusy(true);
    onBusy?.(true);
    try {
      await signInWithCode(email, code);
    } catch (cause) {
      refuse(explainCodeError(cause));
    } finally {
      setBusy(false);
      onBusy?.(false);
    }
  };
  return (
    <form
      className="mt-4 grid w-full grid-cols-[minmax(0,1fr)_auto] items-start gap-x-2.5 [&_label]:whitespace-nowrap"
      noValidate
      onSubmit={send}
    >
      <Field
        ref={field}
        id="login-code"
        label={say('Or enter the code from the email')}
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={12}
        readOnly={busy}
        error={error}
      />
      {/* Level with the field, below its label. */}
      <Button look="primary" size="lg" type="submit" className="mt-6.5" busy={busy}>
        {busy ? say('Signing in...') : say('Sign in')}
      </Button>
    </form>
  );
}
