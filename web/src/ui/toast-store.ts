// The notifications: a store that any code may speak to, with one place on the screen.

/** R-TOAST-01, R-TOAST-03, R-TOAST-04. */
const TOAST_LIMIT = 1;
export const TOAST_DURATION_MS = 5000;
const TOAST_REMOVAL_DELAY_MS = 1_000_000;
const LEAST_TIME_LEFT_MS = 1500;

export type ToastVariant = 'default' | 'destructive';

export type Toast = {
  id: number;
  title: string;
  description?: string;
  variant: ToastVariant;
  durationMs: number;
  /** `Date.now()` when it was shown. */
  shownAtMs: number;
  /** False once dismissed: it stays in the store, invisible, until it is removed. */
  open: boolean;
};

export type ToastWords = {
  title: string;
  description?: string;
  variant?: ToastVariant;
  durationMs?: number;
};

/** How long a toast that is drawn again stays; always long enough to be read to its end. */
export function timeLeft({ durationMs, shownAtMs }: Toast, nowMs: number): number {
  return Math.max(LEAST_TIME_LEFT_MS, durationMs - (nowMs - shownAtMs));
}

/** Makes a store; the pages share the one below. */
export function createToastStore() {
  let toasts: readonly Toast[] = [];
  let lastId = 0;
  const listeners = new Set<() => void>();

  const set = (next: readonly Toast[]) => {
    toasts = next;
    for (const listener of listeners) listener();
  };

  return {
    get: () => toasts,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    /** Shows a toast in place of the one before. */
    show: ({ title, description, variant = 'default', durationMs = TOAST_DURATION_MS }: ToastWords) => {
      lastId += 1;
      const shownAtMs = Date.now();
      const toast = { id: lastId, title, description, variant, durationMs, shownAtMs, open: true };
      set([toast, ...toasts].slice(0, TOAST_LIMIT));
    },
    /** Closes a toast now and removes it later. */
    dismiss: (id: number) => {
      if (!toasts.some((toast) => toast.id === id && toast.open)) return;
      set(toasts.map((toast) => (toast.id === id ? { ...toast, open: false } : toast)));
      setTimeout(() => set(toasts.filter((toast) => toast.id !== id)), TOAST_REMOVAL_DELAY_MS);
    },
  };
}

export const toasts = createToastStore();

/** Shows a notification (R-TOAST-02: default or destructive). */
export const showToast = toasts.show;
