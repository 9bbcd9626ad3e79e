// The login dialog: sign-in with Google, or with a mailed link or code (R-LOGIN-01 to R-LOGIN-21).
import { useEffect, useState } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { DialogClose } from '../ui/dialog-close.tsx';
import { LoginForm } from './login-form.tsx';
import { LoginSent } from './login-sent.tsx';
import { useSession } from './use-session.ts';

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
          <LoginSent
            titleId={TITLE}
            firstLineId={FIRST_LINE}
            email={sentTo}
            onBusy={setBusy}
            onRestart={restart}
          />
        ) : (
          <LoginForm
            titleId={TITLE}
            firstLineId={FIRST_LINE}
            focusField={restarted}
            onBusy={setBusy}
            onSent={setSentTo}
            onLeave={onClose}
          />
        )}
        <DialogClose onClose={onClose} disabled={busy} />
      </div>
    </Dialog>
  );
}
