// The login dialog, fetched when it is wanted, and whether it is open; any screen may open it.
import { fetchToastArea } from '../ui/toast-area.tsx';
import { lazyDialog } from './lazy-screen.tsx';

export const LoginDialog = lazyDialog(() =>
  import('./login-dialog.tsx').then((module) => module.LoginDialog),
);

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

// Fetched as soon as somebody goes for the button; what fails now is tried again when it is pressed.
function prepareLogin(): void {
  void Promise.allSettled([LoginDialog.load(), fetchToastArea()]);
}

/** For a button that may open the dialog. */
export const preparesLogin = { onPointerOver: prepareLogin, onFocus: prepareLogin };

/** For a button that opens the dialog. */
export const opensLogin = { ...preparesLogin, onClick: openLogin, 'aria-haspopup': 'dialog' } as const;

function set(next: boolean): void {
  open = next;
  for (const listener of listeners) listener();
}
