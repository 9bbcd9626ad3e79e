// Shows the e-mail address of the signed-in user, with a button to change the account. For pages to which the user has
// no access.
import { useState } from 'react';
import { changeAccount, logOut } from '../auth.ts';
import { useSession } from '../queries.ts';
import { classes } from '../ui/dom.ts';
import { t } from '../words/translate.ts';

type SignedInAsProps = {
  /** Called after the sign-out, so that the page can offer the sign-in. */
  onSignedOut: () => void;
  /** Text of the button that changes the account. */
  action?: string;
  className?: string;
};

/** Renders nothing if nobody is signed in. */
export function SignedInAs({ onSignedOut, action = t('Sign in as another'), className }: SignedInAsProps) {
  const session = useSession();
  const [leaving, setLeaving] = useState(false);
  if (session.status !== 'signed-in') return null;
  const leave = () => {
    if (leaving) return;
    setLeaving(true);
    // If the sign-in client fails to end the session, `logOut` deletes the stored session and reloads the page.
    void changeAccount().then(onSignedOut, logOut);
  };
  return (
    <p className={classes('text-sm wrap-anywhere text-ink-2', className)}>
      <span>{t('Signed in as {email}. Wrong account?', { email: session.email })}</span>{' '}
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
