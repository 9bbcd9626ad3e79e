// A single notification, with its icon, text and Close button.
import { Close, Description, Root, Title } from '@radix-ui/react-toast';
import { Check, CircleAlert, X } from 'lucide-react';
import { useState } from 'react';
import { say } from '../words/say.ts';
import { Icon } from './icon.tsx';
import { type Toast, timeLeft, toasts } from './toast-store.ts';
import styles from './toaster.module.css';

// With the focus in the notification area, Escape only moves the focus back (toaster.tsx). Elsewhere, Escape closes the
// toast.
function keepInArea(event: KeyboardEvent): void {
  if (event.target instanceof Element && event.target.closest('[data-toasts]')) event.preventDefault();
}

export function ToastCard({ toast }: { toast: Toast }) {
  const { id, title, description, variant, open } = toast;
  const destructive = variant === 'destructive';
  // If a dialog opens or closes, the card is mounted again. The card then stays only for the time that is left.
  const [durationMs] = useState(() => timeLeft(toast, Date.now()));
  return (
    <Root
      className={styles.toast}
      data-variant={variant}
      type={destructive ? 'foreground' : 'background'}
      duration={durationMs}
      open={open}
      onEscapeKeyDown={keepInArea}
      onOpenChange={(isOpen) => !isOpen && toasts.dismiss(id)}
    >
      <span className={styles.icon}>
        <Icon of={destructive ? CircleAlert : Check} />
      </span>
      <div>
        {/* The space separates title and description for screen readers. */}
        <Title className={styles.title}>{title}</Title>{' '}
        {description && <Description>{description}</Description>}
      </div>
      <Close className={styles.close} aria-label={say('Close')}>
        <Icon of={X} size={16} />
      </Close>
    </Root>
  );
}
