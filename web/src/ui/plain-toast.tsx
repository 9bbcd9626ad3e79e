// Shows a notification if the JavaScript of the notification area cannot be loaded. After such a failure, the browser
// may be unable to load the area's style sheet too. So every page loads this file and its style sheet at the start.
import { useEffect, useSyncExternalStore } from 'react';
import { classes } from './classes.ts';
import { toasts } from './toast-store.ts';
import styles from './toaster.module.css';

export function PlainToast() {
  const toast = useSyncExternalStore(toasts.subscribe, toasts.get).find(({ open }) => open);
  useEffect(() => {
    if (!toast) return;
    const timer = setTimeout(() => toasts.dismiss(toast.id), toast.durationMs);
    return () => clearTimeout(timer);
  }, [toast]);
  return (
    <div role="alert" className={styles.viewport}>
      {toast && (
        <div className={classes(styles.toast, styles.plain)} data-variant={toast.variant}>
          <p className={styles.title}>{toast.title}</p>
          <p>{toast.description}</p>
        </div>
      )}
    </div>
  );
}
