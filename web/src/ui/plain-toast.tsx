// The notification while its proper area cannot be fetched: the words, for as long as they were meant to stand.
import { useEffect, useSyncExternalStore } from 'react';
import { toasts } from './toast-store.ts';

export function PlainToast() {
  const toast = useSyncExternalStore(toasts.subscribe, toasts.get).find(({ open }) => open);
  useEffect(() => {
    if (!toast) return;
    const timer = setTimeout(() => toasts.dismiss(toast.id), toast.durationMs);
    return () => clearTimeout(timer);
  }, [toast]);
  return (
    <div role="alert" className="fixed right-4 bottom-4 left-4 z-(--z-toast) md:left-auto md:w-96">
      {toast && (
        <div className="rounded-lg border border-line bg-raised px-4 py-3.5 text-md text-ink-2 shadow-md">
          <p className="font-semibold text-ink">{toast.title}</p>
          <p>{toast.description}</p>
        </div>
      )}
    </div>
  );
}
