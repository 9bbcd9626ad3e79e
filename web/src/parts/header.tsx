// The header of every page: a link to the home page, and the signed-in user (R-HDR-01 to R-HDR-08).
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { logOut } from '../auth.ts';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { say } from '../words/say.ts';
import { opensLogin } from './login-store.ts';
import { Logo } from './logo.tsx';
import { useCurrentUser, useSession } from './use-session.ts';

/** `children` stands between the link and the user, on the staff pages. */
export function Header({ children }: { children?: ReactNode }) {
  const { status } = useSession();
  return (
    <header className="bg-page">
      <div className="wrap flex min-h-16 items-center gap-4 md:min-h-18">
        <Link
          href="/"
          className={classes(
            'inline-flex min-h-8 items-center gap-2.5 rounded-xs text-[1.0625rem] font-semibold tracking-snug',
            // On phones, the e-mail address of a signed-in user needs space beside the provider's name. The header of a
            // visitor shows 'Login' instead. 'Login' is short, so the name may use all remaining space.
            status === 'signed-out' ? 'min-w-0' : 'max-w-[45vw] flex-none',
          )}
        >
          <Logo />
        </Link>
        {children}
        <div
          className={classes(
            'flex min-h-8 flex-1 items-center justify-end gap-4 text-md',
            status !== 'signed-out' && 'min-w-0',
          )}
        >
          <Account />
        </div>
      </div>
    </header>
  );
}

function Account() {
  const session = useSession();
  const user = useCurrentUser();
  const [leaving, setLeaving] = useState(false);

  // shows 'Loading...' until the session is known. If there is a session, 'Loading...' stays until the current user
  // is loaded.
  if (session.status === 'loading' || (session.status === 'signed-in' && user.isPending)) {
    return (
      // Without the key, React would reuse this status element for the e-mail address. Screen readers would then
      // announce the address.
      <span key="waiting" role="status" className="text-ink-3">
        {say('Loading...')}
      </span>
    );
  }
  if (session.status === 'signed-out') {
    return (
      <Button size="sm" {...opensLogin}>
        {say('Login')}
      </Button>
    );
  }
  const leave = () => {
    setLeaving(true);
    void logOut();
  };
  const email = user.data?.email ?? session.email;
  return (
    <>
      <span className="truncate text-ink-2" title={email}>
        {email}
      </span>
      <Button size="sm" busy={leaving} onClick={leave} data-leaves="">
        {say('Logout')}
      </Button>
    </>
  );
}
