// Helpers of all pages: class names, focus, values outside of React, open dialogs.

/** Joins the class names with spaces. Skips false, null, undefined and empty names. */
export function classes(...names: (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}

/** Moves the focus to the main content, for use when the focused control is removed. Does not scroll. */
export function focusMain(): void {
  document.getElementById('main')?.focus({ preventScroll: true });
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
