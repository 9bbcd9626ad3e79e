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
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
