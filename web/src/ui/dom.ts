// Helpers for the DOM: class names, focus, leaving a menu, open dialogs.
import { useEffect } from 'react';

/** Joins the class names with spaces. Skips false, null, undefined and empty names. */
export function classes(...names: (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}

/** Moves the focus to the main content, for use when the focused control is removed. Does not scroll. */
export function focusMain(): void {
  document.getElementById('main')?.focus({ preventScroll: true });
}

// Closes a menu when the user clicks or focuses another part of the page.

/** While `active`, calls `leave` if the user clicks or focuses an element outside `root`. */
export function useLeaving(root: { current: HTMLElement | null }, active: boolean, leave: () => void): void {
  useEffect(() => {
    if (!active) return;
    const look = ({ target }: Event) => {
      if (target instanceof Node && !root.current?.contains(target)) leave();
    };
    document.addEventListener('pointerdown', look);
    document.addEventListener('focusin', look);
    return () => {
      document.removeEventListener('pointerdown', look);
      document.removeEventListener('focusin', look);
    };
  });
}

// Counts the open modal dialogs. Content outside an open dialog cannot be clicked or read by screen readers, so
// notifications must be inside the dialog.

let count = 0;
const listeners = new Set<() => void>();

export function countOpenDialogs(): number {
  return count;
}

/** Counts a dialog that opens. Returns a function to call when this dialog closes. */
export function noteOpenDialog(): () => void {
  change(1);
  return () => change(-1);
}

/** Calls `listener` when a dialog opens or closes. Returns a function that removes the listener. */
export function subscribeToDialogs(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function change(by: number): void {
  count += by;
  for (const listener of listeners) listener();
}
