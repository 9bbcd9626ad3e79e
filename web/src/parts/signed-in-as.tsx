// Where access is missing: which address is signed in, and the way to another account.
import { useState } from 'react';
import { changeAccount, logOut } from '../auth.ts';
import { classes } from '../ui/classes.ts';
import { say } from '../words/say.ts';
import { useSession } from './use-session.ts';

type SignedInAsProps = {
  /** Called when nobody is signed in any more: it shows where to sign in. */
  onSignedOut: () => void;
  /** What the button says. */
  action?: string;
  className?: string;
};

/** Nothing for visitors. */
export function SignedInAs({ onSignedOut, action = say('Sign in as another'), className }: SignedInAsProps) {
  const session = useSession();
  const [leaving, setLeaving] = useState(false);
  if (session.status !== 'signed-in') return null;
  const leave = () => {
    if (leaving) return;
    setLeaving(true);
    // A client that is not ready can end nothing: a new page begins without the session.
    void changeAccount().then(onSignedOut, logOut);
  };
  return (
    <p className={classes('text-sm wrap-anywhere text-ink-2', className)}>
      <span>{say('Signed in as {email}. Wrong account?', { email: session.email })}</span>{' '}
      <button
        type="button"
        className="-my-0.5 min-h-6 cursor-pointer rounded-[2px] text-ink underline underline-offset-[0.2em]"
        aria-busy={leaving || undefined}
        onClick={leave}
      >
        {action}
      </button>
    </p>
  );
}
