// How many modal dialogs are open. What lies outside one can be neither seen, pressed nor heard, so notifications
// have to appear inside it.

let count = 0;
const listeners = new Set<() => void>();

/** How many are open now. */
export function countOpenDialogs(): number {
  return count;
}

/** Notes that a dialog has opened; answers what to call when it closes. */
export function noteOpenDialog(): () => void {
  change(1);
  return () => change(-1);
}

/** Calls `listener` at every change; answers how to stop that. */
export function subscribeToDialogs(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function change(by: number): void {
  count += by;
  for (const listener of listeners) listener();
}
