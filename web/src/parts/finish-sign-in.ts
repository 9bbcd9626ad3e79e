// Completes a sign-in at /auth/callback: reads the URL, starts the session, and decides which page comes next.
import { call } from '../api.ts';
import { ApiError } from '../api-error.ts';
import { arriveWith, getAccessToken } from '../auth.ts';
import { checkAdmin } from '../calls.ts';
import { type Arrival, readArrival } from '../sign-in-arrival.ts';
import { type Decision, decideSignIn, type Move } from '../sign-in-decision.ts';
import { forgetReturnPath, readRemembered } from '../sign-in-path.ts';
import { showToast } from '../ui/toast-store.ts';
import { isUnreachable } from '../unreachable.ts';
import { say } from '../words/say.ts';
import { wordsOf } from './error-words.ts';

const HOME: Move = { to: '/', afterMs: 0 };

/** Reads the sign-in data from the URL. Then removes the data, because tokens must not stay in the browser history. */
export function takeArrival(): Arrival {
  const arrival = readArrival(location);
  history.replaceState(history.state, '', location.pathname);
  return arrival;
}

/**
 * Completes the sign-in. Returns the next page and the delay before the redirect. Shows a toast after an error, and
 * returns the home page. Returns null if the server could not be reached; the caller may then try again.
 */
export async function finishSignIn(arrival: Arrival): Promise<Move | null> {
  if (arrival.error) return fail(arrival.error);

  try {
    const hasSession = await arriveWith(arrival.tokens);
    const remembered = readRemembered();
    if (hasSession) forgetReturnPath();
    const { referrer } = document;
    const facts = { hasSession, referrer, next: arrival.next, origin: location.origin, ...remembered };
    return await settle(decideSignIn(facts));
  } catch (error) {
    return isUnreachable(error)
      ? null
      : fail(wordsOf(error, say('The sign-in did not succeed. Please try again.')));
  }
}

function fail(words: string): Move {
  showToast({ title: say('Authentication Error'), description: words, variant: 'destructive' });
  return HOME;
}

async function settle(decision: Decision): Promise<Move> {
  if ('to' in decision) return decision;
  if (!(await getAccessToken())) return decision.onError;
  try {
    const { user } = await call(checkAdmin);
    return user.user_role === 'admin' ? decision.ifAdmin : decision.ifNot;
  } catch (error) {
    return error instanceof ApiError && error.status === 403 ? decision.ifNot : decision.onError;
  }
}
