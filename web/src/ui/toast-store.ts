// The store of notifications. Any module can show a notification; the pages show at most one at a time.
import { createStore } from './dom.ts';

// R-TOAST-01, R-TOAST-03, R-TOAST-04. A closed toast is removed after the delay.
const TOAST_LIMIT = 1;
export const TOAST_DURATION_MS = 5000;
const TOAST_REMOVAL_DELAY_MS = 1_000_000;
const LEAST_TIME_LEFT_MS = 1500;

type ToastVariant = 'default' | 'destructive';

export type Toast = {
  id: number;
  title: string;
  description?: string;
  variant: ToastVariant;
  durationMs: number;
  shownAtMs: number;
  /** A dismissed toast stays in the store, invisible, until it is removed. */
  open: boolean;
};

export type ToastWords = { title: string; description?: string; variant?: ToastVariant; durationMs?: number };

/** Returns the remaining milliseconds of a toast that is rendered again: long enough to read the toast. */
export function timeLeft({ durationMs, shownAtMs }: Toast, nowMs: number): number {
  return Math.max(LEAST_TIME_LEFT_MS, durationMs - (nowMs - shownAtMs));
}

export const TOAST_AREA =
  'fixed right-6 bottom-6 z-(--z-toast) w-[min(24rem,calc(100vw_-_2rem))] rounded-lg max-md:right-4 max-md:bottom-4 [:root:has(footer_:focus-visible)_&]:top-6 [:root:has(footer_:focus-visible)_&]:bottom-auto';

const CARD =
  'py-3.5 pr-2.5 pl-4 border rounded-lg text-md wrap-anywhere [box-shadow:var(--shadow-md)] forced-colors:border-[CanvasText]';

export const TOAST_LOOKS = {
  default: { card: `${CARD} bg-raised border-line text-ink-2`, head: 'text-ink font-semibold' },
  destructive: {
    card: `${CARD} bg-danger border-transparent text-on-danger [--focus:var(--on-danger)]`,
    head: 'font-semibold',
  },
} satisfies Record<ToastVariant, { card: string; head: string }>;

/** Creates a store. All pages share `toasts`; each test creates its own store. */
export function createToastStore() {
  const { get, set, subscribe } = createStore<readonly Toast[]>([]);
  let lastId = 0;
  return {
    get,
    subscribe,
    /** Replaces the current toast. */
    show: ({ title, description, variant = 'default', durationMs = TOAST_DURATION_MS }: ToastWords) => {
      lastId += 1;
      const shownAtMs = Date.now();
      const toast = { id: lastId, title, description, variant, durationMs, shownAtMs, open: true };
      set([toast, ...get()].slice(0, TOAST_LIMIT));
    },
    /** Closes a toast immediately, and removes it from the store later. */
    dismiss: (id: number) => {
      if (!get().some((toast) => toast.id === id && toast.open)) return;
      set(get().map((toast) => (toast.id === id ? { ...toast, open: false } : toast)));
      setTimeout(() => set(get().filter((toast) => toast.id !== id)), TOAST_REMOVAL_DELAY_MS);
    },
  };
}

export const toasts = createToastStore();

/** R-TOAST-02. */
export const showToast = toasts.show;

export function showError(title: string, description?: string): void {
  showToast({ title, description, variant: 'destructive' });
}
