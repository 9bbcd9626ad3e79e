// Renders the second view of the admin sign-in. A mail with a link and a code was sent, and the user can request
// another mail.
import { MailCheck } from 'lucide-react';
import { useEffect, useState } from 'react';
import { LoginCode } from '../../parts/login-code.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { sayNumber } from '../../words/format.ts';
import { say, sayAround } from '../../words/say.ts';
import { secondsOf } from './resend-wait.ts';
import { sendAdminLink } from './send-link.ts';

const SECOND_MS = 1000;

type AdminLoginSentProps = {
  email: string;
  /** Path to open after the user follows the link in the mail. */
  back: string;
  onRestart: () => void;
};

export function AdminLoginSent({ email, back, onRestart }: AdminLoginSentProps) {
  const [busy, setBusy] = useState(false);
  const [waitS, setWaitS] = useCountdown();

  const resend = async () => {
    if (waitS > 0) return;
    setBusy(true);
    const refusal = await sendAdminLink(email, back).then(
      () => '',
      (cause: Error) => cause.message,
    );
    setBusy(false);
    setWaitS(secondsOf(refusal));
  };
  return (
    <div className="grid justify-items-start gap-2">
      <span className="mb-3 grid size-12 place-items-center rounded-lg bg-accent-soft text-accent-text">
        <Icon of={MailCheck} size={24} />
      </span>
      <h1 className="text-xl text-ink">{say('Check Your Email')}</h1>
      <p>
        {sayAround('We sent a magic link to {email}. Click the link to login.', {
          email: <strong className="font-medium wrap-anywhere text-ink">{email}</strong>,
        })}
      </p>
      <p>{say('Access is restricted to admin users only.')}</p>
      <LoginCode email={email} focusField />
      <div className="mt-4 flex flex-wrap gap-3">
        <Button onClick={onRestart}>{say('Use a different email')}</Button>
        <Button look="ghost" busy={busy} aria-disabled={waitS > 0 || undefined} onClick={() => void resend()}>
          {say('Resend magic link')}
          {waitS > 0 && ` (${sayNumber(waitS)} s)`}
        </Button>
      </div>
    </div>
  );
}

/**
 * Returns the number of seconds until the user can request another mail, and a function that sets this number. The
 * number counts down to 0.
 */
function useCountdown(): [number, (seconds: number) => void] {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    if (seconds === 0) return;
    const timer = setTimeout(() => setSeconds(seconds - 1), SECOND_MS);
    return () => clearTimeout(timer);
  }, [seconds]);
  return [seconds, setSeconds];
}
