// The second view of the login dialog, shown after the link was sent.
import { MailCheck } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Icon } from '../ui/icon.tsx';
import { say, sayAround } from '../words/say.ts';
import { LoginCode } from './login-code.tsx';

type LoginSentProps = {
  titleId: string;
  firstLineId: string;
  email: string;
  onBusy: (busy: boolean) => void;
  onRestart: () => void;
};

export function LoginSent({ titleId, firstLineId, email, onBusy, onRestart }: LoginSentProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);

  return (
    <div className="grid justify-items-start gap-2">
      <span className="mb-3 grid size-14 place-items-center rounded-lg bg-accent-soft text-accent-text">
        <Icon of={MailCheck} size={24} />
      </span>
      <h2 ref={heading} id={titleId} tabIndex={-1} className="text-xl">
        {say('Magic Link Sent!')}
      </h2>
      <p id={firstLineId} className="text-md text-ink-2">
        {sayAround('We sent a sign-in link to {email}. Click the link in that email to finish signing in.', {
          email: <strong className="font-medium wrap-anywhere text-ink">{email}</strong>,
        })}
      </p>
      <LoginCode email={email} onBusy={onBusy} />
      <button type="button" className="link mt-3 min-h-6 text-md" onClick={onRestart}>
        {say('Try with a different email')}
      </button>
    </div>
  );
}
