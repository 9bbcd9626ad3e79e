// The login dialog, fetched and made ready when somebody goes for it, and whether it is open; any screen may open it.
import { fetchToastArea } from '../ui/toast-area.tsx';
import { lazyDialog } from './lazy-screen.tsx';

export const LoginDialog = lazyDialog(() =>
  import('./login-dialog.tsx').then((module) => module.LoginDialog),
);

/** `ready`: on the page and closed, so that a press has only to open it. */
export type LoginState = 'away' | 'ready' | 'open';

let state: LoginState = 'away';
const listeners = new Set<() => void>();

export function getLoginState(): LoginState {
  return state;
}

/** Opens the login dialog. */
export function openLogin(): void {
  set('open');
}

/** Closes it. */
export function closeLogin(): void {
  set('away');
}

/** Calls `listener` when the state changes; answers how to stop that. */
export function subscribeToLogin(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// Fetched, and put on the page closed, as soon as somebody goes for the button; what fails now is tried again when it is pressed.
function prepareLogin(): void {
  const dialog = LoginDialog.load().then(() => {
    if (state === 'away') set('ready');
  });
  void Promise.allSettled([dialog, fetchToastArea()]);
}

/** For a button that may open the dialog. */
export const preparesLogin = { onPointerOver: prepareLogin, onFocus: prepareLogin };

/** For a button that opens the dialog. */
export const opensLogin = { ...preparesLogin, onClick: openLogin, 'aria-haspopup': 'dialog' } as const;

function set(next: LoginState): void {
  state = next;
  for (const listener of listeners) listener();
}
