// Shows a notification if the file of the notification area cannot be fetched. Imports the area's style sheet, so
// that it is loaded with the page, because it could not be fetched either.
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
