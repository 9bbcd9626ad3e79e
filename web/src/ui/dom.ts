// Helpers of all pages: class names, focus, the width of the window, values outside of React, open dialogs.
import { useSyncExternalStore } from 'react';

/** Joins the class names with spaces. Skips false, null, undefined and empty names. */
export function classes(...names: (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}

/** Moves the focus to the main content, for use when the focused control is removed. Does not scroll. */
export function focusMain(): void {
  document.getElementById('main')?.focus({ preventScroll: true });
}

// The width below which the prefix `max-md` of Tailwind applies.
const PHONE = '(width < 48rem)';

/** True while the window is as narrow as a phone. Only for pages that the server does not render. */
export function useIsPhone(): boolean {
  return useSyncExternalStore(subscribeToWidth, () => matchMedia(PHONE).matches);
}

function subscribeToWidth(listener: () => void): () => void {
  const query = matchMedia(PHONE);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}

/** Creates a value outside of React, for `useSyncExternalStore`. */
export function createStore<State>(initial: State) {
  let state = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => state,
    set: (next: State) => {
      state = next;
      for (const listener of listeners) listener();
    },
    /** Returns a function that removes the listener. */
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

// Counts open dialogs: notifications must be inside an open modal dialog, because content outside cannot be clicked.
const openDialogs = createStore(0);
export const countOpenDialogs = openDialogs.get;
export const subscribeToDialogs = openDialogs.subscribe;

/** Counts a dialog that opens. Returns a function to call when this dialog closes. */
export function noteOpenDialog(): () => void {
  openDialogs.set(countOpenDialogs() + 1);
  return () => openDialogs.set(countOpenDialogs() - 1);
}
