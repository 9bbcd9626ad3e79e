// The login dialog: sign-in with Google, or with a mailed link or code (R-LOGIN-01 to R-LOGIN-21).
import { MailCheck } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useRoute } from 'wouter';
import { PRODUCT_ROUTE } from '../navigation.ts';
import { useSession } from '../queries.ts';
import { brand } from '../settings.ts';
import { Dialog, DialogClose } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { t, tNode } from '../words/translate.ts';
import { LoginCode, SignInForm, sendMagicLink, signInWithGoogle } from './form.tsx';

const TITLE = 'login-title';
const FIRST_LINE = 'login-first-line';

export function LoginDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { status } = useSession();
  const [sentTo, setSentTo] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [restarted, setRestarted] = useState(false);

  // Closes the dialog after a sign-in in this tab, or through the mailed link in another tab.
  useEffect(() => {
    if (status === 'signed-in') onClose();
  }, [status, onClose]);

  const restart = () => {
    setRestarted(true);
    setSentTo(null);
  };
  return (
    <Dialog
      className="max-w-110"
      labelledBy={TITLE}
      describedBy={FIRST_LINE}
      open={open}
      closable={!busy}
      onClose={onClose}
    >
      <div className="relative animate-rise rounded-xl border border-transparent bg-raised p-6 text-ink [box-shadow:var(--shadow-lg)] md:p-8">
        {sentTo ? (
          <LoginSent email={sentTo} onBusy={setBusy} onRestart={restart} />
        ) : (
          <LoginForm focusField={restarted} onBusy={setBusy} onSent={setSentTo} onLeave={onClose} />
        )}
        <DialogClose onClose={onClose} disabled={busy} />
      </div>
    </Dialog>
  );
}

type LoginFormProps = Pick<Parameters<typeof SignInForm>[0], 'focusField' | 'onBusy' | 'onSent'> & {
  /** Called when the redirect to Google has begun. */
  onLeave: () => void;
};

/** The first view of the dialog (R-VAL-01, R-VAL-04, R-VAL-05). */
function LoginForm({ onLeave, ...form }: LoginFormProps) {
  const [, product] = useRoute(PRODUCT_ROUTE);
  const wayBack = { productId: product?.id };
  // The button in the mail 'Your benefits are ready' opens this page, with the address of the person (R-INV-01).
  const email = new URLSearchParams(location.search).get('email') ?? undefined;
  return (
    <>
      <h2 id={TITLE} className="pr-8 text-xl">
        {t('Sign In to Redeem')}
      </h2>
      <p id={FIRST_LINE} className="mt-1.5 text-md text-ink-2">
        {t('Use the email you gave {provider} at purchase.', { provider: brand.name })}
      </p>
      <SignInForm
        {...form}
        email={email}
        or={t('Or')}
        placeholder={t('Your {provider} email', { provider: brand.name })}
        hint={t('We’ll email you a secure login link. No password needed.')}
        goToGoogle={() => signInWithGoogle(wayBack).then(onLeave)}
        googleFailed={t('Could not initiate Google sign-in. Please try again.')}
        sendLink={(email) => sendMagicLink(email, wayBack)}
        sendFailed={t('Please check your email and try again')}
      />
    </>
  );
}

type LoginSentProps = { email: string; onBusy: (busy: boolean) => void; onRestart: () => void };

/** The second view of the dialog, after the link was sent. */
function LoginSent({ email, onBusy, onRestart }: LoginSentProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);

  return (
    <div className="grid justify-items-start gap-2">
      <span className="mb-3 grid size-14 place-items-center rounded-lg bg-accent-soft text-accent-text">
        <Icon of={MailCheck} size={24} />
      </span>
      <h2 ref={heading} id={TITLE} tabIndex={-1} className="text-xl">
        {t('Magic Link Sent!')}
      </h2>
      <p id={FIRST_LINE} className="text-md text-ink-2">
        {tNode('We sent a sign-in link to {email}. Click the link in that email to finish signing in.', {
          email: <strong className="font-medium wrap-anywhere text-ink">{email}</strong>,
        })}
      </p>
      <LoginCode email={email} onBusy={onBusy} />
      <button type="button" className="link mt-3 min-h-6 text-md" onClick={onRestart}>
        {t('Try with a different email')}
      </button>
    </div>
  );
}
