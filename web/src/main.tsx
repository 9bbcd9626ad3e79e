// Starts the pages: the session first, because everything waits for it.
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { startSession, subscribeToSession } from './auth.ts';
import { getSessionUser } from './calls.ts';
import { queryClient } from './queries.ts';

//
subscribeToSession((event) => {
  if (event === 'USER_UPDATED') void queryClient.invalidateQueries({ queryKey: [getSessionUser.path] });
});
void startSession();

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root, { onUncaughtError: sayBroken }).render(
  <StrictMode>
    <App />
  </StrictMode>,
);

/** React takes everything down after a fault in a screen: at least the person is told what to do. */
function sayBroken(error: unknown): void {
  reportError(error);
  queueMicrotask(() => {
    if (root) root.textContent = 'Something went wrong on this page. Please reload it.';
  });
}
