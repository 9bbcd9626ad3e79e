// Starts the pages in the browser. Starts the session first, because API calls need the session. Then loads the
// translations. React renders the page last.
import { StrictMode, startTransition } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { getSessionUser } from './api.ts';
import { App, loadAdminFrame, loadRenderedScreen } from './app.tsx';
import { getSessionState, LOADING, SIGNED_OUT, startSession, subscribeToSession } from './auth.ts';
import { Benefits } from './learner/home.tsx';
import { currentUserQuery, keepPageData, queryClient } from './queries.ts';
import { readPageData } from './settings.ts';
import { currentLocale } from './words/format.ts';
import { startWords, t } from './words/translate.ts';
import './styles/main.css';

// reads the current user again after the sign-in service has changed the account.
subscribeToSession((event) => {
  if (event === 'USER_UPDATED') void queryClient.invalidateQueries({ queryKey: [getSessionUser.path] });
});
void startSession();
const session = getSessionState();
// Loads in parallel with the sign-in client, because a learner's products need both.
if (session.status !== 'signed-out') Benefits.load().catch(() => undefined);
if (session.status === 'signed-in') void queryClient.prefetchQuery(currentUserQuery(session.userId));
keepPageData(queryClient, location.pathname, readPageData());

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
const options = { onUncaughtError: showBroken };
// The server renders a variant for visitors and a variant for stored sessions. first-script.ts has chosen one of them.
const rendered = document.documentElement.dataset.session === undefined ? SIGNED_OUT : LOADING;
const app = (
  <StrictMode>
    <App queries={queryClient} rendered={rendered} />
  </StrictMode>
);
if (root.hasChildNodes()) void takeOver(root, document.documentElement.lang);
else
  void Promise.allSettled([startWords(), loadAdminFrame(location.pathname)]).then(() =>
    createRoot(root, options).render(app),
  );

/** Hydrates the page. Renders it again if the screen's JavaScript did not load or the user has another language. */
async function takeOver(container: HTMLElement, language: string): Promise<void> {
  const [, screen] = await Promise.allSettled([startWords(), loadRenderedScreen(location.pathname)]);
  // In a transition, React hydrates in slices, so that the browser can handle a click in between.
  if (screen.status === 'fulfilled' && currentLocale.language === language)
    startTransition(() => void hydrateRoot(container, app, options));
  else createRoot(container, options).render(app);
}

/** Shows a message after an error that no component has caught. React removes the whole page after such an error. */
function showBroken(error: unknown): void {
  reportError(error);
  queueMicrotask(() => {
    if (root) root.textContent = t('Something went wrong on this page. Please reload it.');
  });
}
