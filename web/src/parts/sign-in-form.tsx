// The form of every sign-in, for learners and staff: Google where it can be used, or an address for a mailed link.
import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { signInService } from '../brand.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Problem } from '../ui/problem.tsx';
import { say } from '../words/say.ts';
import { GoogleMark } from './google-mark.tsx';

type SignInFormProps = {
  /** Id of the e-mail field. */
  id: string;
  /** The word between Google and the address. */
  or: string;
  placeholder: string;
  /** Shown below the button. */
  hint?: string;
  /** The address that the field starts with. */
  email?: string | undefined;
  /** Starts in the field: the person has just asked for another address. */
  focusField: boolean;
  onBusy?: (busy: boolean) => void;
  /** Leaves for Google. Resolves to the words of a refusal that belong below the button, else to null. */
  goToGoogle: () => Promise<string | null>;
  /** Mails the link. Resolves to the words of a refusal, else to null. */
  sendLink: (email: string) => Promise<string | null>;
  onSent: (email: string) => void;
  /** Called with the words that are shown at the field when it is empty. */
  onEmpty?: (words: string) => void;
};

export function SignInForm(props: SignInFormProps) {
  const { id, or, placeholder, hint, email: start, focusField, goToGoogle } = props;
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [googleError, setGoogleError] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);

  useEffect(() => {
    if (focusField) field.current?.focus();
  }, [focusField]);

  const report = (isBusy: boolean) => {
    setBusy(isBusy);
    props.onBusy?.(isBusy);
  };
  const refuse = (words: string) => {
    setError(words);
    field.current?.focus();
  };
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (busy) return;
    const email = field.current?.value.trim().toLowerCase() ?? '';
    if (email === '') {
      const words = say('Please enter your email address');
      props.onEmpty?.(words);
      return refuse(words);
    }
    setError(null);
    setGoogleError(null);
    report(true);
    const refusal = await props.sendLink(email);
    if (refusal === null) props.onSent(email);
    else refuse(refusal);
    report(false);
  };
  const pressGoogle = async () => {
    setGoogleError(null);
    setGoogleError(await goToGoogle());
  };

  return (
    <form className="mt-6 grid gap-4.5" noValidate onSubmit={(event) => void submit(event)}>
      {signInService.google && (
        <>
          <Button size="lg" block disabled={busy} onClick={() => void pressGoogle()}>
            <GoogleMark />
            {say('Continue with Google')}
          </Button>
          {googleError && <Problem>{googleError}</Problem>}
          <div className="flex items-center gap-3.5 text-sm text-ink-3 before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
            {or}
          </div>
        </>
      )}
      <Field
        ref={field}
        id={id}
        label={say('Email')}
        type="email"
        required
        autoComplete="email"
        placeholder={placeholder}
        defaultValue={start}
        readOnly={busy}
        error={error}
        {...(hint && { hintId: `${id}-hint` })}
      />
      <Button look="primary" size="lg" block type="submit" busy={busy}>
        {busy ? say('Sending...') : say('Send Magic Link')}
      </Button>
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-ink-3">
          {hint}
        </p>
      )}
    </form>
  );
}
