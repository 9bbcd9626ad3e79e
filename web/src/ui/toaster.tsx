// Where notifications appear: bottom right, the full width on phones.
import { Close, Provider, Root, Viewport } from '@radix-ui/react-toast';
import { Check, CircleAlert, X } from 'lucide-react';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { Icon } from './icon.tsx';
import { TOAST_DURATION_MS, type Toast, toasts } from './toast-store.ts';
import styles from './toaster.module.css';

/** R-TOAST-05. */
const SWIPE_THRESHOLD_PX = 50;

/** `focused`: the area takes the focus at once, because F8 was what called for it. */
export function Toaster({ focused }: { focused: boolean }) {
  const area = useRef<HTMLOListElement>(null);
  useEffect(() => {
    if (focused) area.current?.focus();
  }, [focused]);
  const shown = useSyncExternalStore(toasts.subscribe, toasts.get);
  return (
    <Provider duration={TOAST_DURATION_MS} swipeDirection="right" swipeThreshold={SWIPE_THRESHOLD_PX}>
      {shown.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
      <Viewport ref={area} className={styles.viewport} hotkey={['F8']} label="Notifications ({hotkey})" />
    </Provider>
  );
}

function ToastCard({ toast }: { toast: Toast }) {
  const { id, title, description, variant, durationMs, open } = toast;
  const destructive = variant === 'destructive';
  return (
    <Root
      className={styles.toast}
      data-variant={variant}
      duration={durationMs}
      open={open}
      onOpenChange={(isOpen) => !isOpen && toasts.dismiss(id)}
    >
      <span className={styles.icon}>
        <Icon of={destructive ? CircleAlert : Check} />
      </span>
      {/* Spoken by its own role: without the mark, Radix would say it a second time. */}
      <div role={destructive ? 'alert' : 'status'} aria-atomic="true" data-radix-toast-announce-exclude="">
        <p className={styles.title}>{title}</p>
        {description && <p>{description}</p>}
      </div>
      <Close className={styles.close} aria-label="Close">
        <Icon of={X} size={16} />
      </Close>
    </Root>
  );
}
