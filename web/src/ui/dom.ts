// Helpers for the DOM: class names, focus, open dialogs.

/** Joins the class names with spaces. Skips false, null, undefined and empty names. */
export function classes(...names: (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}

/** Moves the focus to the main content, for use when the focused control is removed. Does not scroll. */
export function focusMain(): void {
  document.getElementById('main')?.focus({ preventScroll: true });
}

// Content outside an open modal dialog cannot be clicked or read by screen readers, so notifications must be inside it.
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

/** Returns a function that removes the listener. */
export function subscribeToDialogs(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function change(by: number): void {
  count += by;
  for (const listener of listeners) listener();
}
