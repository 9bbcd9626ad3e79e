// The sign-in form for learners and staff: a button for Google, if configured, and a field for a mailed link.
import { useId, useState } from 'react';
import { signInService } from '../brand.ts';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/problem.tsx';
import { TextField } from '../ui/text-field.tsx';
import { useForm } from '../ui/use-form.ts';
import { say } from '../words/say.ts';
import { wordsOf } from './error-words.ts';
import { GoogleMark } from './google-mark.tsx';

type SignInFormProps = {
  /** The word between Google's button and the e-mail field. */
  or: string;
  placeholder: string;
  /** Text below the submit button. */
  hint?: string;
  /** Initial value of the e-mail field. */
  email?: string | undefined;
  /** True if the field gets the focus on mount, because the user chose to use another address. */
  focusField: boolean;
  onBusy?: (busy: boolean) => void;
  /** Opens Google's sign-in. */
  goToGoogle: () => Promise<void>;
  /** Error text below Google's button, used if the error has no message for users. */
  googleFailed?: string;
  /** Sends the sign-in link by mail. */
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
