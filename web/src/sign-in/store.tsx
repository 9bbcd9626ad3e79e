// Loads the login dialog in advance, and stores whether it is open. Any screen can open it.
import { lazyDialog, lazyPart } from '../lazy.tsx';
import { createStore } from '../ui/dom.ts';
import { fetchToastArea } from '../ui/toast-area.tsx';

export const LoginDialog = lazyDialog(() =>
  import('./login-dialog.tsx').then((module) => module.LoginDialog),
);

/** Loaded when it is shown, because few learners have no products or no access. */
export const SignedInAs = lazyPart(
  () => import('./signed-in-as.tsx').then((module) => module.SignedInAs),
  <p className="mt-4 min-h-6" />,
);

/** `away`: not rendered. `ready`: rendered but closed, so that a click opens it at once. */
type LoginState = 'away' | 'ready' | 'open';

const login = createStore<LoginState>('away');
export const getLoginState = login.get;
export const subscribeToLogin = login.subscribe;
export const openLogin = () => login.set('open');
export const closeLogin = () => login.set('away');

/** Renders the dialog closed, so that a click opens it at once. If its load fails, the click loads it again. */
function prepareLogin(): void {
  const dialog = LoginDialog.load().then(() => {
    if (login.get() === 'away') login.set('ready');
  });
  void Promise.allSettled([dialog, fetchToastArea()]);
}

/** Props for a button that may open the dialog: hover or focus prepares the dialog. */
export const preparesLogin = { onPointerOver: prepareLogin, onFocus: prepareLogin };

/** Props for a button that opens the dialog. */
export const opensLogin = { ...preparesLogin, onClick: openLogin, 'aria-haspopup': 'dialog' } as const;
