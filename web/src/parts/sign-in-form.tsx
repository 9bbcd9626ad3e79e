// The form of every sign-in, for learners and staff: Google where it can be used, or an address for a mailed link.
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
  /** The word between Google and the address. */
  or: string;
  placeholder: string;
  /** Stands below the button. */
  hint?: string;
  /** The address that the field starts with. */
  email?: string | undefined;
  /** Starts in the field: the person has just asked for another address. */
  focusField: boolean;
  onBusy?: (busy: boolean) => void;
  /** Leaves for Google. */
  goToGoogle: () => Promise<void>;
  /** Stands below Google's button when that failed without words of its own. */
  googleFailed?: string;
  /** Mails the link. */
  sendLink: (email: string) => Promise<void>;
  /** Stands at the field when the mail was refused without words. */
  sendFailed: string;
  onSent: (email: string) => void;
  /** Called with the words that stand at the field when it is empty. */
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
