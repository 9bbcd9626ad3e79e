// A form for the six-digit code of the sign-in mail. Used if the mail is read on another device.
import { foldDigits } from '@portal/contract';
import { signInWithCode } from '../auth.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/text-field.tsx';
import { useForm } from '../ui/use-form.ts';
import { say } from '../words/say.ts';
import { explainCodeError } from './code-words.ts';

type LoginCodeProps = {
  email: string;
  /** True if the code field gets the focus on mount. */
  focusField?: boolean;
  onBusy?: (busy: boolean) => void;
};

/**
 * Signs in with the typed code. The caller observes the session, and closes the dialog or redirects after the sign-in.
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
