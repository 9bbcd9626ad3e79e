// Whether the login dialog is open; any screen may open it.

let open = false;
const listeners = new Set<() => void>();

/** True while the dialog is open. */
export function isLoginOpen(): boolean {
  return open;
}

/** Opens the login dialog. */
export function openLogin(): void {
  set(true);
}

/** Closes it. */
export function closeLogin(): void {
  set(false);
}

/** Calls `listener` when the dialog opens or closes; answers how to stop that. */
export function subscribeToLogin(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function set(next: boolean): void {
  open = next;
  for (const listener of listeners) listener();
}
