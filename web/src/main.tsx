// Starts the pages: the session first, because everything waits for it, then the words that are to be shown.
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { startSession, subscribeToSession } from './auth.ts';
import { getSessionUser } from './calls.ts';
import { queryClient } from './queries.ts';
import { say } from './words/say.ts';
import { startWords } from './words/start-words.ts';

//
subscribeToSession((event) => {
  if (event === 'USER_UPDATED') void queryClient.invalidateQueries({ queryKey: [getSessionUser.path] });
});
void startSession();

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
void startWords().then(() =>
  createRoot(root, { onUncaughtError: sayBroken }).render(
    <StrictMode>
      <App />
    </StrictMode>,
  ),
);

/** React takes everything down after a fault in a screen: at least the person is told what to do. */
function sayBroken(error: unknown): void {
  reportError(error);
  queueMicrotask(() => {
    if (root) root.textContent = say('Something went wrong on this page. Please reload it.');
  });
}
