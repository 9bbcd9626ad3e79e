// Loads the login dialog in advance, and stores whether it is open. Any screen can open it.
import { lazyDialog } from '../lazy.tsx';
import { fetchToastArea } from '../ui/toast-area.tsx';

export const LoginDialog = lazyDialog(() =>
  import('./login-dialog.tsx').then((module) => module.LoginDialog),
);

/** `away`: not rendered. `ready`: rendered but closed, so that a click opens it at once. */
type LoginState = 'away' | 'ready' | 'open';

let state: LoginState = 'away';
const listeners = new Set<() => void>();

export function getLoginState(): LoginState {
  return state;
}

export function openLogin(): void {
  set('open');
}

export function closeLogin(): void {
  set('away');
}

/** Returns a function that removes the listener. */
export function subscribeToLogin(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Loads the dialog and renders it closed, so that a click opens it at once. If the load fails, the click loads it again. */
function prepareLogin(): void {
  const dialog = LoginDialog.load().then(() => {
    if (state === 'away') set('ready');
  });
  void Promise.allSettled([dialog, fetchToastArea()]);
}

/** Props for a button that may open the dialog: hover or focus prepares the dialog. */
export const preparesLogin = { onPointerOver: prepareLogin, onFocus: prepareLogin };

/** Props for a button that opens the dialog. */
export const opensLogin = { ...preparesLogin, onClick: openLogin, 'aria-haspopup': 'dialog' } as const;

function set(next: LoginState): void {
  state = next;
  for (const listener of listeners) listener();
}
