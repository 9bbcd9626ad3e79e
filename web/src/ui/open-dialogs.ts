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
